import PushCore

/// How the device's counter stands to the server's, as a status tells it.
enum CounterSync: Equatable, Sendable {
    /// Both are at the same value.
    case inSync

    /// The device is so many steps ahead, and the server will find its next signature.
    case localAhead(Int)

    /// The device is so far ahead that the server should hear a signature soon, one that costs
    /// nothing: after a few more it wouldn't find any.
    case needsCatchUp

    /// The server is so many steps ahead: the device's record is an old one. Move the device's
    /// counter forward by as many and keep it.
    case serverAhead(Int)

    /// No signature of this device will be accepted again; the activation is lost.
    case deadlock

    /// Compares the counters.
    ///
    /// - Parameters:
    ///   - local: The device's counter.
    ///   - blob: The server's status.
    ///   - transportKey: The activation's transport key.
    /// - Throws: `PushError` with the code `invalidArgument` if the key isn't of 16 bytes.
    init(
        local: SignatureCounter, blob: ActivationStatusBlob, transportKey: Secret
    ) throws(PushError) {
        let distance = Int(Int8(bitPattern: local.byte &- blob.counterByte))
        let found = try Self.steps(from: local, to: blob, transportKey: transportKey)
        switch (distance, found) {
        case (0, 0?): self = .inSync
        case (1..., nil) where distance <= blob.lookAhead / 2: self = .localAhead(distance)
        case (1..., nil) where distance <= blob.lookAhead: self = .needsCatchUp
        case (..<0, -distance): self = .serverAhead(-distance)
        default: self = .deadlock
        }
    }

    /// How many steps lead from the device's counter to the server's, if they lie within what the
    /// server looks ahead.
    private static func steps(
        from local: SignatureCounter, to blob: ActivationStatusBlob, transportKey: Secret
    ) throws(PushError) -> Int? {
        let key = try KeyDerivation.key(transportKey, index: 4000)
        var counter = local
        for step in 0..<blob.lookAhead {
            let hash = KeyDerivation.internalKey(key, counter.data)
            if hash.isEqualInConstantTime(to: blob.counterHash) { return step }
            counter = counter.next()
        }
        return nil
    }
}

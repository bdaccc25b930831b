import Crypto
import PushCore

/// The counter that makes each signature of an activation the only one of its kind.
///
/// It moves forward by one with every signature computed, whether or not it was sent. Keep the
/// advanced value before the signature leaves: one that is used twice is refused, and with a PIN
/// that costs an attempt.
struct SignatureCounter: Sendable {
    /// The hash chain's current value, 16 bytes.
    let data: Secret

    /// How many steps were made, modulo 256.
    let byte: UInt8

    /// Creates a counter: an activation's first, or one that was kept.
    ///
    /// - Throws: `PushError` with the code `malformed` if the value isn't of 16 bytes.
    init(data: Secret, byte: UInt8 = 0) throws(PushError) {
        guard data.count == 16 else {
            throw PushError(.malformed, "The counter isn't of 16 bytes.")
        }
        self.init(unchecked: data, byte: byte)
    }

    private init(unchecked data: Secret, byte: UInt8) {
        self.data = data
        self.byte = byte
    }

    /// The counter after this one: the folded SHA-256 of its value.
    func next() -> SignatureCounter {
        let value = Secret(count: 16) { output in
            var hash = SHA256()
            data.withBytes { hash.update(bufferPointer: $0) }
            hash.finalize().withUnsafeBytes { digest in
                for index in 0..<16 { output[index] = digest[index] ^ digest[index + 16] }
            }
        }
        return SignatureCounter(unchecked: value, byte: byte &+ 1)
    }

    /// The counter some steps after this one.
    func advanced(by steps: Int) -> SignatureCounter {
        var counter = self
        for _ in 0..<max(steps, 0) { counter = counter.next() }
        return counter
    }
}

extension SignatureCounter: Equatable {
    static func == (one: SignatureCounter, other: SignatureCounter) -> Bool {
        one.byte == other.byte && one.data.isEqualInConstantTime(to: other.data)
    }
}

/// How the device's counter stands to the server's, as a status tells it.
enum CounterSync: Equatable, Sendable {
    /// Both are at the same value.
    case inSync

    /// The device is so many steps ahead, and the server will find its next signature.
    case localAhead(Int)

    /// The device is so far ahead that the server should soon get a signature that costs nothing.
    /// After a few more steps it wouldn't find any signature.
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
    static func steps(
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

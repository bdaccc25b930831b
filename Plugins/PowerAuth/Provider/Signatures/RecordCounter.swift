import PushCore

extension PowerAuthRecord {
    /// How far the counter may run ahead before the server is asked.
    var maximumLead: Int { max(1, min(8, lookAhead / 2)) }

    /// Whether a signature that may never arrive can still be made: the last value that the server
    /// tries stays for the signature by which it follows.
    var mayRunAhead: Bool { ahead < max(1, lookAhead - 1) }

    /// Learns the counter's byte from a status, if it isn't known: the server is as many steps ahead as
    /// lead to its value.
    ///
    /// - Returns: Whether it is known now. If it isn't, this device is ahead: the server's value lies
    ///   behind, where nobody can look.
    mutating func learnCounterByte(from blob: ActivationStatusBlob) throws(PushError) -> Bool {
        guard !knowsCounterByte else { return true }
        let steps = try CounterSync.steps(from: counter, to: blob, transportKey: transport)
        guard let steps else { return false }
        counter = try SignatureCounter(
            data: counter.data, byte: blob.counterByte &- UInt8(truncatingIfNeeded: steps))
        knowsCounterByte = true
        return true
    }
}

public import PushCore

/// An answer as it is sent, and as much of it as may be kept.
public struct XignInAnswer: Sendable {
    /// What is sent.
    public let whole: Secret

    /// The same without anything that lets a PIN be tested. Sent after a lost reply, it brings the
    /// verdict on the whole, if there is one.
    public let kept: Secret

    /// Creates an answer.
    public init(whole: Secret, kept: Secret) {
        self.whole = whole
        self.kept = kept
    }

    /// Whether all of it may be kept.
    var isKeptWhole: Bool { whole.isEqualInConstantTime(to: kept) }

    // MARK: As one secret

    var sealed: Secret { SecretRecord(fields: [:], secrets: [whole, kept]).sealed }

    init(reading sealed: Secret) throws(PushError) {
        let secrets = try SecretRecord(reading: sealed).secrets
        guard secrets.count == 2 else {
            throw PushError(.malformed, "A kept answer is damaged.")
        }
        self.init(whole: secrets[0], kept: secrets[1])
    }
}

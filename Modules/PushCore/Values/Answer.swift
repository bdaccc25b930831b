/// The exact bytes for the vendor, and the part of them that outlives this process.
public struct Answer: Sendable {
    /// The bytes.
    public let bytes: Secret

    /// What the ledger keeps before the first byte leaves.
    public let kept: Answer.Kept

    /// Creates an answer.
    public init(_ bytes: Secret, kept: Answer.Kept) {
        self.bytes = bytes
        self.kept = kept
    }
}

extension Answer {
    /// The part of an answer that outlives this process, and how a restart goes on from it.
    public enum Kept: Sendable {
        /// The bytes; a restart repeats them.
        case whole
        /// The bytes; a restart repeats them once the vendor says that the challenge is open.
        case wholeOnceOpen
        /// A part that the provider chooses, because the whole would let an attacker test PINs
        /// offline. A restart asks the vendor with it (``Resolver/status(for:of:kept:)``), then the
        /// user.
        case part(Secret)
        /// Only the decision, for the same reason; a restart asks the vendor, then the user.
        case nothing
    }
}

extension Answer.Kept {
    /// The same without what is kept.
    package enum Form: String, Hashable, CaseIterable, Sendable {
        case whole, wholeOnceOpen, part, nothing
    }

    /// Which of them it is.
    package var form: Form {
        switch self {
        case .whole: .whole
        case .wholeOnceOpen: .wholeOnceOpen
        case .part: .part
        case .nothing: .nothing
        }
    }

    /// What of an answer the ledger keeps.
    func secret(of answer: Answer) -> Secret? {
        switch self {
        case .whole, .wholeOnceOpen: answer.bytes
        case .part(let part): part
        case .nothing: nil
        }
    }
}

extension Answer.Kept.Form {
    /// Whether the bytes are kept, so that they can be sent again.
    var isWhole: Bool { self == .whole || self == .wholeOnceOpen }
}

extension Challenge {
    /// What the vendor says about a challenge when asked.
    @nonexhaustive
    public enum Status: Hashable, Sendable {
        /// No answer arrived: the prepared one may be sent.
        case open
        /// The challenge is over, with this outcome for this device's answer.
        case over(Outcome)
        /// The vendor's complete list omits the challenge: it is over, for an unknown reason. One
        /// list may be a lagging node's, so only two in a row end a decision.
        case unlisted
        /// The vendor can't say.
        case unknown
    }
}

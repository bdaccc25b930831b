/// The exact bytes for the vendor, and what of them the ledger may keep.
public struct Answer: Sendable {
    /// What the ledger keeps before the first byte leaves, and how a restart goes on from it.
    public enum Kept: String, Hashable, Sendable {
        /// Keep the bytes; a restart repeats them.
        case bytes
        /// Keep the bytes; a restart repeats them once the vendor says that the challenge is open.
        case bytesAfterStatus
        /// Keep the decision alone, because the bytes would let a PIN be tested offline; a restart
        /// asks the vendor, then the user.
        case decision
    }

    /// The bytes.
    public let bytes: Secret

    /// What the ledger may keep.
    public let kept: Kept

    /// Creates an answer.
    public init(_ bytes: Secret, kept: Kept) {
        self.bytes = bytes
        self.kept = kept
    }
}

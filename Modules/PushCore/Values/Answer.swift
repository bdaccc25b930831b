/// The exact bytes for the vendor, and what of them outlives this process.
public struct Answer: Sendable {
    /// The bytes.
    public let bytes: Secret

    /// What the ledger keeps before the first byte leaves.
    public let kept: Kept

    /// Creates an answer.
    public init(_ bytes: Secret, kept: Kept) {
        self.bytes = bytes
        self.kept = kept
    }
}

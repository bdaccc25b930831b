/// A SIM card in a slot. The identifier is never stored or sent, only a keyed hash of it.
public struct SIMIdentity: Hashable, Sendable {
    /// The slot, counted from 0.
    public let slot: Int

    /// What the platform names the card by, such as its ICCID.
    public let identifier: String

    /// Creates a value.
    public init(slot: Int, identifier: String) {
        self.slot = slot
        self.identifier = identifier
    }
}

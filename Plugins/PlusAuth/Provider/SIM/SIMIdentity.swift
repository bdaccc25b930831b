public import PushCore

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

/// Tells which SIM cards are in this device.
public protocol SIMIdentitySource: Sendable {
    /// The SIM cards that are in the device now.
    ///
    /// - Returns: The cards, `[]` if there are no cards; `nil` if this device can't tell.
    /// - Throws: `PushError` of any code; it counts as "can't tell".
    func identities() async throws(PushError) -> [SIMIdentity]?
}

/// What happens if an account is bound to its SIM cards, and they can't be told.
@nonexhaustive
public enum PlusAuthSIMPolicy: Hashable, Sendable {
    /// The push passes, and the observer is told that nothing was enforced.
    case enforceWhenAvailable
    /// The push and the codes are refused until the cards can be told again.
    case strict
}

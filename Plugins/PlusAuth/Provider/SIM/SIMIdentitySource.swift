public import PushCore

/// What tells which SIM cards are in this device.
///
/// The app implements it where the platform allows: Android with the proper permission; iOS gives
/// apps no SIM identity, and Linux has none.
public protocol SIMIdentitySource: Sendable {
    /// The SIM cards that are in the device now.
    ///
    /// - Returns: `nil` if this device can't tell; `[]` if it can, and there is none.
    /// - Throws: `PushError`; it counts as "can't tell".
    func identities() async throws(PushError) -> [SIMIdentity]?
}

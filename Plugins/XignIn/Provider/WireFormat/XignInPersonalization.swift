public import PushCore

/// What a personalization is made of.
public struct XignInPersonalization: Sendable {
    /// The activation link, a secret.
    public let link: Secret

    /// The PIN that the user chose, as typed; `nil` for none.
    public let pin: Secret?

    /// How often the PIN is stretched.
    public let pinIterations: Int

    /// Whether a key is made that only biometry unlocks.
    public let withBiometry: Bool

    /// Where the manager can reach this device; `nil` if the app doesn't know yet.
    public let deviceToken: DeviceToken?

    /// Whether the link may lead to plain HTTP on this machine.
    public let allowsPlainHTTP: Bool
}

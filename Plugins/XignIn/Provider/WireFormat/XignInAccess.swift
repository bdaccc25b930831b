public import PushCore

/// What a wire format may use.
public struct XignInAccess: Sendable {
    /// The instance of the plugin that asks.
    public let provider: ProviderID

    /// The world.
    public let environment: Environment

    /// The versions of the protocol that this app speaks.
    public let supportedAPI: ClosedRange<SmartDeviceAPI>

    /// The keys that only biometry unlocks, if the app has any.
    public let biometricKeys: (any XignInBiometricKeys)?

    let keyQuestions: KeyQuestions

    /// The records of this instance.
    public var vault: Vault { environment.vault(for: provider) }

    /// The activation at a manager: there is one at most, so the manager's identifier names it.
    public func enrollment(at idmIdentifier: String) -> Enrollment.ID {
        Enrollment.ID(idmIdentifier, of: provider)
    }
}

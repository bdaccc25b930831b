public import PushCore

/// What an online activation needs (OneSpan, "Exposed APIs: activation").
public struct OnlineActivationParameters: Sendable {
    /// The user identifier.
    public let userIdentifier: String

    /// The activation password, as the user typed or scanned it.
    public let activationPassword: Secret

    let delegate: any OnlineActivationDelegate

    /// Creates the parameters.
    public init(
        userIdentifier: String, activationPassword: Secret,
        delegate: any OnlineActivationDelegate
    ) {
        self.userIdentifier = userIdentifier
        self.activationPassword = activationPassword
        self.delegate = delegate
    }
}

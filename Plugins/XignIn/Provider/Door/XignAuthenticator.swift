public import PushCore

/// Runs a process that a push has started, under the vendor's names.
///
/// Every answer goes through the authenticator's ledger: it is recorded, then sent.
public struct XignAuthenticator: Sendable {
    let authenticator: PushAuthenticator
    let provider: XignIn

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    public init(_ authenticator: PushAuthenticator, provider: XignIn) {
        self.authenticator = authenticator
        self.provider = provider
    }
}

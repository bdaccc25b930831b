public import PushCore

/// The activations of this device, under the vendor's names.
public struct Personalizer: Sendable {
    let authenticator: PushAuthenticator
    let provider: XignIn

    /// Creates a personalizer.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - provider: The plugin, as the authenticator's registry holds it.
    public init(_ authenticator: PushAuthenticator, provider: XignIn) {
        self.authenticator = authenticator
        self.provider = provider
    }

    /// The managers that are personalized on this device, oldest first; not those whose answer to the
    /// personalization was lost.
    public func getIdentityManagers() async throws(XignSdkError) -> [IdentityManager] {
        do throws(PushError) {
            return try await provider.vault.enrollments()
                .filter { $0.state != .pending(.unconfirmed) }
                .map(IdentityManager.init)
        } catch {
            throw XignSdkError(error)
        }
    }
}

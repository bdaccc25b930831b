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
    ///
    /// - Throws: ``XignSdkError``: `unexpectedError` if the store can't tell.
    public func getIdentityManagers() async throws(XignSdkError) -> [IdentityManager] {
        do throws(PushError) {
            return try await provider.access.accounts.enrollments()
                .filter { $0.state != .pending(.unconfirmed) }
                .map(IdentityManager.init)
        } catch {
            throw XignSdkError(error)
        }
    }
}

extension Personalizer {
    /// Gives a manager a Firebase token of its own, or takes it away: the user's opt-out.
    ///
    /// It changes no other manager's, and from then on `PushAuthenticator.deviceTokenChanged(_:)`
    /// doesn't reach this one: as the vendor documents it, a token that rotates is told to each
    /// manager by a call of its own. To let it follow the app's token again, call
    /// `PushAuthenticator.useSharedDeviceToken(for:)`.
    ///
    /// - Parameters:
    ///   - idmIdentifier: The manager; it must be personalized.
    ///   - token: The token; `nil` so that this manager sends no pushes any more.
    /// - Throws: ``XignSdkError``: `identityManagerNotPersonalized` if the manager isn't personalized
    ///   here; `communication` or `unexpectedError` if it couldn't be told now, and then the
    ///   authenticator tells it later.
    public func updatePushToken(
        idmIdentifier: String, token: String?
    ) async throws(XignSdkError) {
        let id = provider.access.enrollment(at: idmIdentifier)
        do throws(PushError) {
            guard try await isPersonalized(id) else {
                throw PushError(
                    .unknownEnrollment, "The manager isn't personalized on this device.")
            }
            try await authenticator.deviceTokenChanged(token.map(DeviceToken.fcm), for: id)
        } catch {
            throw XignSdkError(error)
        }
    }

    private func isPersonalized(_ id: Enrollment.ID) async throws(PushError) -> Bool {
        guard let account = try await provider.access.accounts.account(id) else { return false }
        return account.enrollment.state != .pending(.unconfirmed)
    }
}

/// A manager that is personalized on this device.
public struct IdentityManager: Hashable, Sendable, Identifiable {
    /// The manager's identifier.
    public let identifier: String

    /// The token that the manager has confirmed to have; `nil` if none.
    public let pushToken: String?

    /// The account's display name.
    public let account: String?

    /// The manager's host.
    public let host: String?

    /// Whether the activation can be used.
    public let state: Enrollment.State

    /// The manager's identifier.
    public var id: String { identifier }

    init(_ enrollment: Enrollment) {
        identifier = enrollment.id.name
        pushToken = if case .fcm(let text)? = enrollment.deviceToken { text } else { nil }
        account = enrollment.account
        host = enrollment.host
        state = enrollment.state
    }
}

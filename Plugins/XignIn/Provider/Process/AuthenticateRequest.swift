public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a manager asks of the user, once the process was started on this device.
///
/// It's also the `details(as:)` of a challenge of this plugin.
public struct AuthenticateRequest: Sendable {
    /// The manager.
    public let idmIdentifier: String

    /// The process.
    public let processId: String

    /// When the process ends, by the manager's clock.
    public var expiresAt: Date

    /// The service that the user signs in to. Show it before the user confirms.
    public var serviceInformation: ServiceInformation

    /// The organization behind it. Show it before the user confirms.
    public var organizationInformation: OrganizationInformation

    /// In which roles the user can sign in: one is taken by itself, of several the user chooses.
    public var roles: [Role]

    /// What the service wants to know of the user, in the manager's order; empty for nothing.
    public var info: AuthenticationPersonalInformation

    /// The text that the user signs with the answer, if it is about more than signing in.
    public var transaction: String?

    /// The factors that this device can supply.
    public var availableAuthenticators: Set<AuthenticatorType>

    /// What of the question couldn't be read, for developers; `nil` if all of it could.
    ///
    /// The rest is there to be shown, and the process can only be rejected.
    public var approvalObstacle: String?

    /// What the wire format needs to answer; opaque to everyone else, never printed.
    public var context: Secret

    /// Creates a request without roles, attributes and factors, for a wire format.
    public init(
        of process: Challenge.ID, expiresAt: Date, service: ServiceInformation,
        organization: OrganizationInformation, context: Secret
    ) {
        idmIdentifier = process.enrollment.name
        processId = process.name
        self.expiresAt = expiresAt
        serviceInformation = service
        organizationInformation = organization
        roles = []
        info = AuthenticationPersonalInformation([])
        availableAuthenticators = []
        self.context = context
    }

    /// A role in which the user can sign in.
    public struct Role: Hashable, Sendable, Identifiable {
        /// The manager's identifier.
        public let id: String

        /// The name to show.
        public let name: String

        /// The factors it takes: alternatives, each a set of factors needed together.
        ///
        /// Alternatives that the device can't supply are left out by the manager; if it can supply
        /// none, all are there, so that the app can explain what to set up.
        public let requestedAuthenticators: [[AuthenticatorType]]

        /// Creates a role.
        public init(id: String, name: String, requestedAuthenticators: [[AuthenticatorType]]) {
            self.id = id
            self.name = name
            self.requestedAuthenticators = requestedAuthenticators
        }
    }
}

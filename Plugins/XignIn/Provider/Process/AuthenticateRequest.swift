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

/// A factor that a manager can ask for.
public enum AuthenticatorType: Hashable, Sendable {
    /// The PIN of the activation.
    case pin
    /// The possession of the device: its key signs each answer, so it costs the user nothing.
    case device
    /// Biometry: a key that only it unlocks signs, too.
    case biometric
    /// Another one, under the manager's name for it; this version can't supply it.
    case unknown(String)

    /// Reads a manager's name for a factor.
    package init(name: String) {
        self =
            switch name {
            case "pin": .pin
            case "device": .device
            case "biometric": .biometric
            default: .unknown(name)
            }
    }
}

extension AuthenticateRequest {
    /// The roles whose factors this device can supply.
    var suppliableRoles: [Role] {
        roles.filter { !suppliable($0).isEmpty }
    }

    /// Whether there are roles, and this device can't supply the factors of any.
    var isBeyondThisDevice: Bool { !roles.isEmpty && suppliableRoles.isEmpty }

    /// Whether this device can supply what a role asks for; any role, if none of them is chosen.
    func isWithinThisDevice(role id: String?) -> Bool {
        guard let chosen = roles.first(where: { $0.id == id }) else { return !isBeyondThisDevice }
        return !suppliable(chosen).isEmpty
    }

    /// The combinations of a role that this device can supply.
    func suppliable(_ role: Role) -> [[AuthenticatorType]] {
        role.requestedAuthenticators.filter { $0.allSatisfy(availableAuthenticators.contains) }
    }

    /// How the user is verified. The user chooses the role only in the answer, so where there are
    /// several, what is asked for is enough for each of them.
    var verification: [[Factor]] {
        // Sets of sets, as there are few factors, and perhaps many roles with many alternatives.
        var alternatives: Set<Set<Factor>> = [[]]
        for role in suppliableRoles {
            let own = Set(suppliable(role).map { Set($0.compactMap(\.factor)) })
            alternatives = Set(alternatives.flatMap { before in own.map(before.union) })
        }
        let least = alternatives.filter { one in
            !alternatives.contains { $0.isStrictSubset(of: one) }
        }
        // The possession of the device costs nothing, so there may be nothing to ask for.
        guard !least.contains([]) else { return [] }
        let inOrder: [[Factor]] = [[.biometry], [.pin], [.biometry, .pin]]
        return inOrder.filter { least.contains(Set($0)) }
    }
}

extension AuthenticatorType {
    /// What the user must bring for it; `nil` for nothing.
    var factor: Factor? {
        switch self {
        case .pin: .pin
        case .biometric: .biometry
        case .device, .unknown: nil
        }
    }
}

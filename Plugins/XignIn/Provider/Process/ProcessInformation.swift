public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a process is about, before it is started: what a QR code would have carried.
public struct AuthenticationInitializationData: Sendable {
    /// The manager.
    public let idmIdentifier: String

    /// The process.
    public let processId: String

    /// When the process ends, by the manager's clock.
    public let expiresAt: Date

    /// The service that the user would sign in to.
    public let serviceInformation: ServiceInformation

    /// The organization behind it.
    public let organizationInformation: OrganizationInformation

    /// What the wire format needs to start it; opaque to everyone else, never printed.
    public let context: Secret

    /// Creates a value, for a wire format.
    public init(
        of process: Challenge.ID, expiresAt: Date, service: ServiceInformation,
        organization: OrganizationInformation, context: Secret
    ) {
        idmIdentifier = process.enrollment.name
        processId = process.name
        self.expiresAt = expiresAt
        serviceInformation = service
        organizationInformation = organization
        self.context = context
    }
}

/// The service that the user signs in to.
public struct ServiceInformation: Hashable, Sendable {
    /// Its identifier at the manager, which the user's answer names.
    public let id: String

    /// Its name, to show.
    public let name: String

    /// Creates a value.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// The organization that asks for a sign-in; some operators are required by law to show it before
/// the user confirms.
public struct OrganizationInformation: Hashable, Sendable {
    /// Its name.
    public let name: String?

    /// Its web site, as text: never opened by the SDK.
    public let website: String?

    /// Its address.
    public let address: String?

    /// What it says of itself.
    public let description: String?

    /// Creates a value.
    public init(
        name: String? = nil, website: String? = nil, address: String? = nil,
        description: String? = nil
    ) {
        self.name = name
        self.website = website
        self.address = address
        self.description = description
    }
}

/// What a service wants to know of the user.
public struct AuthenticationPersonalInformation: Hashable, Sendable {
    /// The attributes it asks for, in the manager's order.
    public let attributes: [AuthenticationInformation]

    /// Creates a value.
    public init(_ attributes: [AuthenticationInformation]) {
        self.attributes = attributes
    }

    /// An attribute by its name, such as `email`; `nil` if it isn't asked for.
    public subscript(name: String) -> AuthenticationInformation? {
        attributes.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The user's given name, if it is asked for.
    public var givenName: AuthenticationInformation? { self["givenName"] }

    /// The user's address for mail, if it is asked for.
    public var email: AuthenticationInformation? { self["email"] }

    /// The user's birth date, if it is asked for.
    public var birthdate: AuthenticationInformation? { self["birthdate"] }
}

/// One attribute of the user that a service asks for.
public struct AuthenticationInformation: Hashable, Sendable {
    /// Its name, such as `email`.
    public let name: String

    /// Whether there is no sign-in without it; else the user may keep it back.
    public let isRequired: Bool

    /// What the manager would tell; `nil` if it has no value.
    public let value: String?

    /// Creates a value.
    public init(name: String, isRequired: Bool, value: String?) {
        self.name = name
        self.isRequired = isRequired
        self.value = value
    }
}

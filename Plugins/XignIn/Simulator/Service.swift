import PushCore

extension XignInSimulator {
    /// The service that a user signs in to.
    public struct Service: Hashable, Sendable, Identifiable {
        /// Its identifier: 1 to 128 of `A–Z a–z 0–9 . _ -`. Relying parties send it as `clientId`.
        public var id: String

        /// Its name, for people.
        public var name: String

        /// Creates a service.
        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }

        var json: JSON { ["id": .string(id), "name": .string(name)] }
    }

    /// Who runs the service, as the user is shown before confirming.
    public struct Organization: Hashable, Sendable {
        /// The organization's name.
        public var name: String?

        /// Its web site.
        public var websiteURL: String?

        /// Its postal address.
        public var address: String?

        /// What it is, in a sentence.
        public var description: String?

        /// Creates an organization.
        public init(
            name: String?, websiteURL: String? = nil, address: String? = nil,
            description: String? = nil
        ) {
            self.name = name
            self.websiteURL = websiteURL
            self.address = address
            self.description = description
        }

        var json: JSON {
            [
                "name": JSON(name), "website_url": JSON(websiteURL), "address": JSON(address),
                "description": JSON(description),
            ]
        }
    }

    /// A personal attribute that a service asks for.
    public struct Attribute: Hashable, Sendable {
        /// Whether the user can withhold it.
        @nonexhaustive
        public enum Requirement: String, Hashable, Sendable {
            /// Without it there is no login.
            case required
            /// The user decides.
            case optional
        }

        /// The attribute's name, such as `email`.
        public var name: String

        /// Whether the user can withhold it.
        public var requirement: Requirement

        /// What the manager knows; `{{user}}` is replaced. `nil` if it knows nothing.
        public var value: String?

        /// Creates an attribute.
        public init(_ name: String, _ requirement: Requirement, value: String?) {
            self.name = name
            self.requirement = requirement
            self.value = value
        }
    }

    /// A role the user can sign in with.
    public struct Role: Hashable, Sendable, Identifiable {
        /// The role's identifier: 1 to 128 of `A–Z a–z 0–9 . _ -`.
        public var id: String

        /// The role's name, for people.
        public var name: String

        /// Alternatives, each the factors needed together.
        ///
        /// A device is told only the alternatives it can supply, or all if it can supply none, so
        /// that its app can explain what to set up (vendor documentation, signing).
        public var requestedAuthenticators: [[Authenticator]]

        /// Creates a role.
        public init(
            id: String, name: String, requestedAuthenticators: [[Authenticator]]
        ) {
            self.id = id
            self.name = name
            self.requestedAuthenticators = requestedAuthenticators
        }

        /// The role as a device that has some factors is told it.
        func json(for supplied: Set<Authenticator>) -> JSON {
            let possible = requestedAuthenticators.filter { supplied.isSuperset(of: $0) }
            let offered = possible.isEmpty ? requestedAuthenticators : possible
            return [
                "id": .string(id), "name": .string(name),
                "requested_authenticators": .array(
                    offered.map { .array($0.map { .string($0.rawValue) }) }),
            ]
        }

        /// Whether a set of factors covers one alternative.
        func isCovered(by supplied: Set<Authenticator>) -> Bool {
            requestedAuthenticators.contains { supplied.isSuperset(of: $0) }
        }
    }

    /// A factor that a role may ask for (vendor documentation: `AuthenticatorType`).
    @nonexhaustive
    public enum Authenticator: String, Hashable, Sendable, CaseIterable {
        /// The PIN, proved by a MAC with the key stretched from it.
        case pin
        /// The device, proved by the assertion itself.
        case device
        /// Biometry, proved by the key that it unlocks.
        case biometric
    }
}

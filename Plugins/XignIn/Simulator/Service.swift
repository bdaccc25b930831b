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
}

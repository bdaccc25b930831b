import PushCore

extension XignInSimulator {
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

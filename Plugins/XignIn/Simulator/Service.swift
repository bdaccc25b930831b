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
}

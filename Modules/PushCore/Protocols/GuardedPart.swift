extension Capabilities {
    /// What of a provider's enrollments a guard can seal, and what needs it.
    public struct GuardedPart: Sendable {
        /// What needs the part.
        public struct Uses: OptionSet, Hashable, Sendable {
            /// The bits.
            public let rawValue: UInt8

            /// Creates a set from its bits.
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// Making a yes.
            public static let approval = Uses(rawValue: 1 << 0)
            /// Making a no.
            public static let denial = Uses(rawValue: 1 << 1)
            /// Sending an answer that is made.
            public static let delivery = Uses(rawValue: 1 << 2)
            /// Opening a challenge.
            public static let opening = Uses(rawValue: 1 << 3)
            /// Asking the vendor: lists, states, and telling it a device token.
            public static let questions = Uses(rawValue: 1 << 4)
            /// One-time codes.
            public static let codes = Uses(rawValue: 1 << 5)
        }

        /// What needs it.
        public let uses: Uses

        /// The credential's type; `nil` if the part is what ``Factor/biometry`` unlocks.
        package let credential: (any GuardedCredential.Type)?

        /// The credential's own secrets.
        public init(of credential: any GuardedCredential.Type, for uses: Uses) {
            self.credential = credential
            self.uses = uses
        }

        private init() {
            credential = nil
            uses = []
        }

        /// A secret of 32 random bytes that the core makes for ``Factor/newBiometry``, and brings
        /// as ``Evidence/biometry(_:)``. Where the vendor takes a PIN instead, the user may give
        /// that.
        public static let biometry = Capabilities.GuardedPart()

        var isBiometry: Bool { credential == nil }
    }
}

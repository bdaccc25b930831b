extension OneSpan {
    /// What the app has chosen.
    public struct Configuration: Sendable {
        /// The domain of the users; `nil` for the engine's own. Lower-cased once, here.
        public var domain: String? {
            didSet { domain = domain?.lowercased() }
        }

        /// Whether an activation also sets up biometry, beside the password.
        public var hasBiometry: Bool

        /// What makes a OneSpan Notification Identifier of a device token: OneSpan's Notification
        /// SDK through an adapter, or the open form of PushOneSpanReference.
        public var identifiers: any NotificationIdentifierProvider

        /// How long a workflow waits for a reply.
        public var patience: Patience

        /// How often a command of an activation, a fetch or a registration is sent before its
        /// caller hears that the server can't be reached. Answers are the ledger's to repeat.
        public var tries: Int

        /// Creates a configuration.
        public init(
            identifiers: any NotificationIdentifierProvider, domain: String? = nil,
            hasBiometry: Bool = false, patience: Patience = Patience(), tries: Int = 3
        ) {
            self.domain = domain?.lowercased()
            self.hasBiometry = hasBiometry
            self.identifiers = identifiers
            self.patience = patience
            self.tries = max(1, tries)
        }

        /// How long a workflow waits for a reply, where the server said nothing of time.
        public struct Patience: Hashable, Sendable {
            /// For each reply of an activation, or of a change of the password.
            public var activation: Duration

            /// For a request to be fetched.
            public var fetch: Duration

            /// For an answer or a registration to be taken.
            public var answer: Duration

            /// Creates the limits: 2 minutes, 60 seconds and 5 minutes.
            public init(
                activation: Duration = .seconds(120), fetch: Duration = .seconds(60),
                answer: Duration = .seconds(300)
            ) {
                self.activation = activation
                self.fetch = fetch
                self.answer = answer
            }
        }
    }
}

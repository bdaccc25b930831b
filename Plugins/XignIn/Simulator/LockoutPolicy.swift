extension XignInSimulator {
    /// When wrong factors lock an activation.
    public struct LockoutPolicy: Hashable, Sendable {
        /// How many wrong factors in a row begin a lockout, at least 1; `nil` if none ever does.
        public var attempts: Int? = 3

        /// How long a lockout lasts, in whole seconds.
        public var duration: Duration = .seconds(30)

        /// How many wrong factors without a right one lock for good, at least 1; `nil` if none do.
        public var permanentAfter: Int?

        /// Creates a policy of three attempts, 30 seconds, and no permanent lockout.
        public init() {}
    }
}

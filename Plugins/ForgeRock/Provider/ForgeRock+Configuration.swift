extension ForgeRock {
    /// What the app has chosen.
    public struct Configuration: Sendable {
        /// The device policies the app can judge, in the order they are judged.
        public var policies: [DevicePolicy]

        /// Whether an invitation is refused if its policies can't be read.
        ///
        /// Otherwise such policies count as none, as they do in the vendor's own apps, and the
        /// observer is told.
        public var refusesUnreadablePolicies: Bool

        /// Whether an answer is refused once the push has certainly expired by AM's clock.
        ///
        /// Otherwise it is sent, and AM decides, as in the vendor's own apps.
        public var refusesLateAnswers: Bool

        /// Creates a configuration.
        public init(
            policies: [DevicePolicy] = [], refusesUnreadablePolicies: Bool = false,
            refusesLateAnswers: Bool = false
        ) {
            self.policies = policies
            self.refusesUnreadablePolicies = refusesUnreadablePolicies
            self.refusesLateAnswers = refusesLateAnswers
        }
    }
}

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

        /// The hosts that an enrollment code may lead to, such as `am.example.com`, international
        /// names as A-labels; empty for any name, and then the app shows the offer's hosts for
        /// consent. Neither the case of letters, nor a dot at the end, nor the brackets of an IPv6
        /// address make a difference.
        public var allowedHosts: Set<String>

        /// Whether a code may lead to an IP address or to `localhost`, if ``allowedHosts`` is empty:
        /// for tests, simulators and labs.
        public var allowsLocalHosts: Bool

        /// Creates a configuration.
        public init(
            policies: [DevicePolicy] = [], refusesUnreadablePolicies: Bool = false,
            refusesLateAnswers: Bool = false, allowedHosts: Set<String> = [],
            allowsLocalHosts: Bool = false
        ) {
            self.policies = policies
            self.refusesUnreadablePolicies = refusesUnreadablePolicies
            self.refusesLateAnswers = refusesLateAnswers
            self.allowedHosts = allowedHosts
            self.allowsLocalHosts = allowsLocalHosts
        }
    }
}

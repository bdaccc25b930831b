extension OneSpanSimulator {
    /// Which of the platform's two services for commands the customer's server calls.
    @nonexhaustive
    public enum CommandService: String, Hashable, Sendable, CaseIterable {
        /// The first one, whose error handling OneSpan has deprecated: errors have `command` and
        /// `message` alone. That it uses the same status is this project's choice.
        case legacy = "orchestration-commands"
        /// The one of the Trusted Device microservice: errors are a `TrustedDeviceErrorOutputDto`.
        case v2 = "orchestration-commands-v2"
    }
}

extension OneSpanSimulator {
    /// What the customer's application server does with a command instead of relaying it.
    @nonexhaustive
    public enum RelayFault: Hashable, Sendable {
        /// It replies with this status; the command goes nowhere.
        case fail(status: Int)
        /// It replies with this status, although the platform has processed the command.
        case failAfterwards(status: Int)
        /// It relays, but its reply is late by this, on the simulator's clock.
        case delay(Duration)
        /// It relays, but drops the body of an error, and with it the error's command.
        case stripErrorBody
    }
}

extension Outbox {
    /// What came of one try at sending a decision.
    enum Attempt {
        /// The vendor's final word, and the announcement's new context.
        case word(Outcome, Secret? = nil)
        /// None yet: why, and whether a copy may have reached the vendor.
        case noReply(String, mayHaveArrived: Bool)
        /// None but that the vendor's list lacks it, which a second list must say as well.
        case lacked
        /// None, and trying again brings none: the user or a ``resume()`` goes on.
        case stuck(Outcome, mayHaveArrived: Bool)

        var outcome: Outcome {
            switch self {
            case .word(let outcome, _): outcome
            case .stuck(let outcome, _): outcome
            case .noReply(let reason, _): .unknown(reason)
            case .lacked: .unknown("The vendor's list lacks it, and is asked once more.")
            }
        }
    }
}

extension PlusAuthSimulator {
    /// What the login page says to a one-time code.
    @nonexhaustive
    public enum CodeVerdict: Hashable, Sendable {
        /// The user is logged in.
        case accepted
        /// It isn't the code of any of the user's devices now, nor one step before or after.
        case incorrect
        /// It was right, but it or a later one has counted already.
        case alreadyUsed
        /// It isn't a code at all.
        case invalid
        /// The login is over.
        case over

        /// The page's word for it; which word means which is UNCONFIRMED.
        var word: String {
            switch self {
            case .accepted: "xhr_request"
            case .incorrect: "incorrect_code"
            case .alreadyUsed: "code_already_used"
            case .invalid: "invalid_code"
            case .over: "code_expired"
            }
        }
    }
}

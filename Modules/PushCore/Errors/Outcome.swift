/// What the vendor said to an answer.
@nonexhaustive
public enum Outcome: Hashable, Sendable {
    /// The vendor took the decision, yes or no alike. It isn't a login.
    ///
    /// The login can still fail, such as for a wrong number that the vendor checks later, a locked
    /// account, or a relying party that doesn't finish it.
    case delivered
    /// The vendor said no to this answer.
    case notTaken(Refusal)
    /// The vendor said that the challenge has expired.
    case expired
    /// The vendor said that another answer was taken.
    case answeredElsewhere
    /// The vendor said that whoever asked has taken the challenge back.
    case cancelled
    /// The user carries this text to the other screen. The ledger keeps it empty if the answer's
    /// bytes must not be kept (``Answer/Kept/nothing``, ``Answer/Kept/part(_:)``).
    ///
    /// Show the vendor's message above the text; ``DisplayText`` has made it safe. It is unsigned,
    /// so show the app's own words, too.
    case code(String, message: String? = nil)
    /// The challenge is over, and the vendor says neither why nor whether it took an answer of this
    /// device.
    ///
    /// It is final: nothing is sent again. If the vendor says more later, that replaces it.
    case ended
    /// Decided, but only the user can make the answer again: resolve the challenge once more.
    case verifyAgain
    /// Nobody knows whether the vendor took the answer; the text says why.
    case unknown(String)

    /// A vendor's no to an answer.
    public struct Refusal: Hashable, Sendable {
        /// Why a vendor didn't take an answer.
        @nonexhaustive
        public enum Reason: String, Hashable, Sendable {
            /// The number or text was wrong.
            case wrongChoice
            /// The PIN, or another proof of the user, was wrong.
            case verification
            /// The choice was wrong or the challenge is over: the vendor has one reply for both.
            case wrongChoiceOrOver
            /// The challenge or the enrollment changed meanwhile.
            case stateChanged
            /// The vendor's service is missing or not set up.
            case unavailable
            /// Something else; the status may say more.
            case other
        }

        /// Why.
        public let reason: Reason

        /// Whether the challenge is still open, so that another answer may be given.
        ///
        /// The core opens it again only if this was the first copy of the answer to leave, or if
        /// ``appliesToAllCopies`` is true. Else the vendor may still take an earlier copy: the
        /// decision stays on record, and only the same answer may be given.
        public let mayRetry: Bool

        /// Whether the vendor said that it took no copy of the answer and will take none, earlier
        /// copies included. If it is false, a final no to a later copy is recorded as
        /// ``Outcome/unknown(_:)``.
        public let appliesToAllCopies: Bool

        /// How many more answers the vendor takes, if it says so.
        public let attemptsLeft: Int?

        /// The HTTP status that said so, if one did.
        public let status: Int?

        /// Creates a refusal.
        ///
        /// - Parameters:
        ///   - reason: Why the vendor didn't take the answer.
        ///   - mayRetry: Whether another answer may be given.
        ///   - appliesToAllCopies: Whether the vendor said that it took no copy, and will take
        ///     none.
        ///   - attemptsLeft: How many more answers the vendor takes, if it says so.
        ///   - status: The HTTP status that said so, if one did.
        public init(
            _ reason: Reason, mayRetry: Bool, appliesToAllCopies: Bool = false,
            attemptsLeft: Int? = nil,
            status: Int? = nil
        ) {
            self.reason = reason
            self.mayRetry = mayRetry
            self.appliesToAllCopies = appliesToAllCopies
            self.attemptsLeft = attemptsLeft
            self.status = status
        }
    }
}

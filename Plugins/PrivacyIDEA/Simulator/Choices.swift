extension PrivacyIDEASimulator {
    /// Releases whose wire differs.
    @nonexhaustive
    public enum Generation: Hashable, Comparable, Sendable, CaseIterable {
        /// 3.9: an answer must have its nonce, and a no is told `true` and forgotten.
        case v39
        /// 3.13: number matching, codes, and texts made for each poll. A second answer is taken.
        case v313
        /// 3.14: capabilities and reasons; an answer is taken once; texts are stored.
        case v314
    }

    /// How the server pushes.
    @nonexhaustive
    public enum Gateway: Hashable, Sendable {
        /// Not at all: codes and tokens are for polling alone.
        case pollOnly
        /// By Firebase.
        case firebase
        /// By a service that takes HTTP requests with the device token and the fields (3.14).
        case http
    }

    /// What a gateway was asked to send.
    public struct GatewayRequest: Hashable, Sendable {
        /// Which gateway it was.
        public let gateway: Gateway

        /// The body: a message of Firebase's HTTP v1 API without its envelope `message`, or
        /// `{"token": …, "data": {…}}`.
        public let body: String
    }

    /// Who may poll (`push_allow_polling`).
    @nonexhaustive
    public enum Polling: Hashable, Sendable {
        /// Everybody.
        case allow
        /// Nobody.
        case deny
        /// The tokens for which an administrator said so: ``PrivacyIDEASimulator/allowPolling(of:)``.
        case token
    }

    /// What the user chooses from where a login asks for it.
    @nonexhaustive
    public enum Presence: Hashable, Sendable {
        /// Capital letters.
        case alphabetic(count: Int)
        /// Numbers of two digits, `00` to `99`.
        case numeric(count: Int)
        /// An administrator's own texts, taken as they are.
        case custom([String])
    }

    /// What the relying party is told about a transaction.
    public struct TransactionState: Hashable, Sendable {
        /// Whether the user may get in.
        public enum Authentication: String, Hashable, Sendable {
            /// The relying party may finish.
            case accept = "ACCEPT"
            /// The user said no.
            case declined = "DECLINED"
            /// Not, or not yet.
            case reject = "REJECT"
        }

        /// What became of the challenges.
        public enum ChallengeStatus: String, Hashable, Sendable {
            /// Nobody answered yet, or a code is to be typed.
            case pending
            /// The user said yes.
            case accept
            /// The user said no.
            case declined
            /// The user said: me, but no.
            case cancelled
        }

        /// Whether the user may get in.
        public let authentication: Authentication

        /// What became of the challenges.
        public let challengeStatus: ChallengeStatus
    }
}

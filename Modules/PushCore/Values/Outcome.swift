/// What the vendor said to an answer.
@nonexhaustive
public enum Outcome: Hashable, Sendable {
    /// The vendor took the decision, yes or no alike. It isn't a login.
    ///
    /// It doesn't say what the vendor made of it: a login can still fail for its own reasons, such
    /// as a wrong number that the vendor only checks later, an account that is locked, or a relying
    /// party that doesn't finish it.
    case delivered
    /// The vendor said no to this answer.
    case notTaken(Refusal)
    /// The vendor said that the challenge has expired.
    case expired
    /// The vendor said that the challenge was answered, but not by this answer.
    case answeredElsewhere
    /// The vendor said that the challenge had been taken back by the party that asked.
    case cancelled
    /// The user carries the answer: this text goes to the other screen. The ledger keeps it empty
    /// if the answer's bytes must not be kept (``Kept/nothing``, ``Kept/part(_:)``).
    ///
    /// The message is the vendor's, to be shown above the text and made safe for it by
    /// ``DisplayText``; `nil` if the vendor sends none. No signature covers it, so it is shown beside
    /// what the app says itself.
    case code(String, message: String? = nil)
    /// The challenge is over, and the vendor says neither why nor whether it took an answer of this
    /// device.
    ///
    /// It is final: nothing is sent again. A word that says more replaces it, if one comes.
    case ended
    /// Decided, but only the user can make the answer again: resolve it once more.
    case verifyAgain
    /// Nobody knows whether the vendor took it; the text says why. Never a guess.
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
            /// The vendor's service isn't there or isn't set up.
            case unavailable
            /// Something else; the status may say more.
            case other
        }

        /// Why.
        public let reason: Reason

        /// Whether the challenge is still open, so that another answer may be given.
        ///
        /// The core opens it again only if no earlier copy of the answer can still be taken: if
        /// this was the first one to leave, or ``appliesToAllCopies`` says so. Else the decision stays on
        /// record, and only the same answer may be given.
        public let mayRetry: Bool

        /// Whether the vendor said that it took no copy of the answer and will take none: neither
        /// this one nor one that may have left before. If not, a final no to a later copy is
        /// recorded as ``Outcome/unknown(_:)``.
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
        ///   - appliesToAllCopies: Whether the vendor said that no earlier copy was taken, nor will be.
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

    /// Whether it leaves open what became of the answer, so that a word which says it may come yet.
    var isUnknown: Bool {
        switch self {
        case .unknown, .ended: true
        default: false
        }
    }

    /// The same without its code, for an answer that mustn't be kept.
    var withoutCode: Outcome {
        if case .code = self { .code("") } else { self }
    }

    /// Why a challenge is over that ended so, as its vendor tells it who was asked. One that was
    /// answered is finished, by this device or by another.
    var reason: Withdrawal.Reason {
        switch self {
        case .expired: .expired
        case .cancelled: .cancelled
        case .answeredElsewhere: .elsewhere
        case .ended: .unknown
        case .delivered, .notTaken, .code, .verifyAgain, .unknown: .finished
        }
    }

    /// Whether the challenge is open again after it, if it answers the first copy that left.
    var mayReopen: Bool {
        if case .notTaken(let refusal) = self { refusal.mayRetry } else { false }
    }

    /// Whether it refuses one copy of an answer for good, and says nothing of others.
    var isFinalNoToOneCopy: Bool {
        guard case .notTaken(let refusal) = self else { return false }
        return !refusal.mayRetry && !refusal.appliesToAllCopies
    }

    /// Whether the challenge is open again after it.
    ///
    /// - Parameter hasArrived: Whether an earlier copy may have reached the vendor: it may be taken
    ///   yet, unless the vendor says that it won't.
    /// - Returns: Whether the user may answer again.
    func reopens(after hasArrived: Bool) -> Bool {
        guard case .notTaken(let refusal) = self, refusal.mayRetry else { return false }
        return !hasArrived || refusal.appliesToAllCopies
    }
}

extension Outcome: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        let text = try members.optional("text") { $0.string }
        switch (try members.required("is", { $0.string }), text) {
        case ("delivered", _): self = .delivered
        case ("notTaken", _): self = .notTaken(try Refusal(json: json))
        case ("expired", _): self = .expired
        case ("answeredElsewhere", _): self = .answeredElsewhere
        case ("cancelled", _): self = .cancelled
        case ("ended", _): self = .ended
        case ("code", let text?):
            self = .code(text, message: try members.optional("message") { $0.string })
        case ("verifyAgain", _): self = .verifyAgain
        case ("unknown", let text?): self = .unknown(text)
        default: throw PushError(.malformed, "A record holds an unknown outcome.")
        }
    }

    var json: JSON {
        switch self {
        case .delivered: ["is": "delivered"]
        case .notTaken(let refusal): refusal.json
        case .expired: ["is": "expired"]
        case .answeredElsewhere: ["is": "answeredElsewhere"]
        case .cancelled: ["is": "cancelled"]
        case .ended: ["is": "ended"]
        case .code(let text, let message):
            ["is": "code", "text": .string(text), "message": message.map(JSON.string) ?? .null]
        case .verifyAgain: ["is": "verifyAgain"]
        case .unknown(let text): ["is": "unknown", "text": .string(text)]
        }
    }
}

extension Outcome.Refusal: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            try members.required("why") { $0.string.flatMap(Reason.init(rawValue:)) },
            mayRetry: try members.required("mayRetry") { $0.bool },
            appliesToAllCopies: try members.optional("noCopyTaken") { $0.bool } ?? false,
            attemptsLeft: try members.optional("attemptsLeft") { $0.integer.map(Int.init) },
            status: try members.optional("status") { $0.integer.map(Int.init) })
    }

    var json: JSON {
        func number(_ value: Int?) -> JSON { value.map { .integer($0) } ?? .null }
        return [
            "is": "notTaken", "why": .string(reason.rawValue), "mayRetry": .bool(mayRetry),
            "noCopyTaken": appliesToAllCopies ? true : .null, "attemptsLeft": number(attemptsLeft),
            "status": number(status),
        ]
    }
}

import PushCore

extension Acme {
    /// What kind of vendor it is.
    struct Options: Sendable {
        /// How a reply speaks of a challenge that is over.
        enum Over: String, CaseIterable, Sendable {
            /// The same answer again is taken for the first one; another is told who answered.
            case idempotent
            /// 410, with the reason and the choice that was taken.
            case explains
            /// 409: it was answered, but not with what.
            case answered
            /// 404: it is gone.
            case gone
        }

        /// Which requests carry a number of their own.
        enum Numbered: Sendable { case none, tokens, all }

        /// What is wrong with the provider, in a test of who checks it.
        enum Flaw: Sendable {
            /// It believes messages that nobody signed.
            case believesAnything
            /// Its counters stand still.
            case forgetsCounters
            /// It sends another decision than the user's.
            case altersDecisions
        }

        var capabilities: Capabilities = [.pendingList, .denyReasons, .tokenUpdate, .tokenRemoval]
        var kept: Answer.Kept.Form = .whole
        var asks: [[Factor]] = []
        var verification: [[Factor]] = []
        /// What an enrollment is after its server said yes.
        var state: Enrollment.State = .active
        /// Whether the vendor says how a challenge stands.
        var knowsStatus = true
        var services: [DeviceToken.Service] = [.apns, .fcm]
        /// Whether its list is said to be complete.
        var listsAll = false
        /// Whether each request tells the time, as far as the server's clock is known.
        var tellsTime = false
        /// Whether the record is written as pending before the request, and promoted by its reply.
        var isTwoPhase = false
        /// Whether each answer carries the next value of a counter, which its bytes are bound to.
        var counts = false

        var over = Over.idempotent
        var numbered = Numbered.none
        /// Whether a request's number must be greater than any before.
        var isStrict = false
        /// Whether a push may say no more than that there is something to ask about.
        var pushesHints = true
        /// Whether opening a challenge asks the vendor.
        var fetches = false
        /// Whether it refuses some answers for now, though nothing is wrong with them.
        var isMoody = false
        /// How many wrong numbers it takes.
        var attempts = 3
        /// Whether a wrong PIN leaves the challenge open.
        var takesPINAgain = false
        /// Whether its replies tell the time, as far as it has a clock.
        var datesReplies = true
        var flaw: Flaw?
    }
}

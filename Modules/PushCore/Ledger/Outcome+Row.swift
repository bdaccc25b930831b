/// What a vendor's word makes of a row.
extension Outcome {
    /// Whether it leaves open what became of the answer, so that a word which says it may come yet.
    var isUnknown: Bool {
        switch self {
        case .unknown, .ended: true
        case .delivered, .notTaken, .expired, .answeredElsewhere, .cancelled, .code, .verifyAgain:
            false
        }
    }

    /// The same without its code, for an answer that mustn't be kept.
    var withoutCode: Outcome {
        if case .code = self { .code("") } else { self }
    }

    /// Why the challenge is over, if asking its vendor brought this outcome. One that was answered is
    /// finished, by this device or by another.
    var reason: WithdrawalReason {
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

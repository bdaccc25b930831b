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

    /// Whether it refuses one copy of an answer, and says nothing of others: one that left before
    /// may be taken yet.
    var isNoToOneCopy: Bool {
        if case .notTaken(let refusal) = self { !refusal.appliesToAllCopies } else { false }
    }

    /// Whether the challenge is open again after it; `hasArrived` says whether an earlier copy may
    /// have reached the vendor.
    func reopens(after hasArrived: Bool) -> Bool { mayReopen && !(hasArrived && isNoToOneCopy) }
}

import PushCore

/// What a reply to an answer means.
///
/// UNCONFIRMED: which of its documented errors PlusAuth sends here; the table is its REST API's.
struct AnswerVerdict {
    /// Whether an earlier copy may have reached PlusAuth. A repeat that isn't taken says nothing of
    /// that one.
    let again: Bool

    /// Whether the challenge's time is over.
    let isExpired: Bool

    /// Whether the answer's own `exp` has passed.
    let isStale: Bool

    /// - Throws: `PushError` with the code `server` if nobody said what PlusAuth did: the decision
    ///   stays on record, and is sent again.
    func outcome(of reply: PlusAuthRequest.ServerReply) throws(PushError) -> Outcome {
        switch reply {
        case .success: .delivered
        case .refusal(let status, let word): try outcome(of: word, status)
        case .stranger(let status): throw undecided(status)
        }
    }

    private func outcome(of word: ErrorWord, _ status: Int) throws(PushError) -> Outcome {
        switch word {
        case .missingToken, .invalidAuthorizationScheme, .invalidAudience, .invalidIssuer,
            .missingScope, .unauthorizedUser:
            over(isExpired ? .expired : .answeredElsewhere, status)
        case .entityNotFound: over(.expired, status)
        case .alreadyExists: over(.answeredElsewhere, status)
        case .invalidRequest, .invalidEntity: notTaken(status)
        case .planLimitExceeded, .tooManyRequests, .serverError: throw undecided(status)
        }
    }

    private func over(_ outcome: Outcome, _ status: Int) -> Outcome {
        guard again else { return outcome }
        return .unknown("PlusAuth took an earlier copy, or the challenge was over (\(status)).")
    }

    /// One that could be sent only after its own `exp` never had a chance: the user may give it once
    /// more. No word of PlusAuth's says of *earlier* copies that none was taken (`appliesToAllCopies`).
    private func notTaken(_ status: Int) -> Outcome {
        guard !again else {
            return .unknown("PlusAuth took an earlier copy, or never took any (\(status)).")
        }
        return .notTaken(.init(.other, mayRetry: isStale && !isExpired, status: status))
    }

    private func undecided(_ status: Int) -> PushError {
        PushError(
            .server(status: status), "The reply \(status) doesn't say what PlusAuth did.")
    }
}

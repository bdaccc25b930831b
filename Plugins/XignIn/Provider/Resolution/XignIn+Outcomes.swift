public import PushCore

extension XignIn {
    /// What the manager said of the last wrong factor, or of the lockout that ended a process: how
    /// long to wait, and how many tries are left.
    ///
    /// - Returns: `nil` if the last answer brought none, or the app was restarted since.
    public func lockoutInformation(of process: Challenge.ID) async -> LockoutInformation? {
        await tries.lockout(of: process)
    }

    /// What a manager's word on an answer is to the core.
    ///
    /// - Throws: `PushError` if it is no word on the answer: the decision stays on record then.
    func outcome(
        of reply: XignInReply<XignInVerdict>, _ process: Challenge.ID
    ) async throws(PushError) -> Outcome {
        let outcome: Outcome
        switch reply {
        case .done(.userLogin), .done(.rejected):
            outcome = .delivered
        case .done(.lockout(let lockout, let context)):
            await tries.note(lockout, context: context, of: process)
            outcome = .notTaken(
                Outcome.Refusal(
                    .verification, mayRetry: !lockout.isPermanent, attemptsLeft: lockout.remaining,
                    status: 200))
        case .refused(let refusal):
            try await note(refusal, at: process.enrollment)
            if case .locked(let lockout) = refusal {
                await tries.note(lockout, context: nil, of: process)
            }
            guard let final = refusal.outcome else { throw refusal.error.of(id) }
            outcome = final
        }
        if case .delivered = outcome { await tries.forget(process) }
        // The manager's word counts even if the store can't forget now; what stays was judged.
        try? await keep(nil, to: process)
        return outcome
    }

    /// Keeps an answer until there is a verdict on it, or forgets it.
    func keep(_ answer: Secret?, to process: Challenge.ID) async throws(PushError) {
        try await vault.update(process.enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            record.keep(answer, to: process.name)
            credential.secret = record.sealed
        }
    }

    func keptAnswer(to process: Challenge.ID) async throws(PushError) -> Secret? {
        let credential = try await vault.existing(process.enrollment)
        return try XignInRecord(reading: credential.secret).answer(to: process.name)
    }
}

extension XignInRefusal {
    /// What the refusal of an answer means for the process; `nil` if it doesn't judge the answer.
    fileprivate var outcome: Outcome? {
        switch self {
        case .malformed, .requestRefused, .linkUsed, .linkExpired: nil
        case .factorsMissing: .notTaken(.init(.verification, mayRetry: true, status: 400))
        case .locked(let lockout):
            .notTaken(
                .init(
                    .verification, mayRetry: false, attemptsLeft: lockout.remaining, status: 403))
        case .processTaken, .processFinished: .answeredElsewhere
        case .processUnknown, .processCancelled: .cancelled
        case .processExpired: .expired
        case .activationUnknown: .notTaken(.init(.stateChanged, mayRetry: false, status: 404))
        case .versionUnsupported: .notTaken(.init(.other, mayRetry: false, status: 426))
        }
    }
}

public import PushCore

extension XignIn {
    /// What the manager said of the last wrong factor, or of the lockout that ended a process: how
    /// long to wait, and how many tries are left.
    ///
    /// - Returns: `nil` if neither the last answer nor opening it brought one, or another process
    ///   brought one since.
    public func lockoutInformation(of process: Challenge.ID) async -> LockoutInformation? {
        guard let secret = try? await vault.secret(of: process.enrollment) else { return nil }
        return (try? XignInRecord(reading: secret))?.lockout(of: process.name)
    }

    /// What a manager's word on an answer is to the core.
    ///
    /// - Parameters:
    ///   - reply: The manager's word.
    ///   - announcement: What announced the process.
    ///   - prepared: What was sent.
    /// - Throws: `PushError` if it is no word on the answer: the decision stays on record then.
    func word(
        _ reply: XignInReply<XignInVerdict>, on announcement: Announcement,
        _ prepared: PreparedAnswer
    ) async throws(PushError) -> Reply {
        let process = announcement.notice.id
        switch reply {
        case .done(.userLogin), .done(.rejected):
            // The manager's word counts even if the store can't forget now.
            try? await note(nil, of: process)
            return Reply(.delivered)
        case .done(.lockout(let lockout, let context)):
            try? await note(lockout, of: process)
            var note = try announcement.note
            note.retry = ProcessNote.Retry(seen: prepared.seen, newest: context)
            // With the wrong factor came another challenge, so no earlier copy counts any more, and
            // none has, as the process would be finished.
            let refusal = Outcome.Refusal(
                .verification, mayRetry: !lockout.isPermanent, noCopyTaken: true,
                attemptsLeft: lockout.remaining, status: 200)
            return Reply(.notTaken(refusal), context: note.sealed)
        case .refused(let refusal):
            try await note(refusal, at: process.enrollment)
            if case .locked(let lockout) = refusal { try? await note(lockout, of: process) }
            guard let final = refusal.outcome else { throw refusal.error }
            guard refusal == .processFinished, prepared.isMadeAgain else { return Reply(final) }
            return Reply(
                .unknown("It is finished: by an earlier answer of this device, or by another's."))
        }
    }

    /// Keeps what a manager says about wrong factors of a process; `nil` forgets it.
    func note(
        _ lockout: LockoutInformation?, of process: Challenge.ID
    ) async throws(PushError) {
        let secret = try await vault.existing(process.enrollment).secret
        guard try XignInRecord(reading: secret).lockout(of: process.name) != lockout else { return }
        try await vault.update(process.enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            record.note(lockout, of: process.name)
            credential.secret = record.sealed
        }
    }
}

extension XignInRefusal {
    /// What the refusal of an answer means for the process; `nil` if it doesn't judge the answer.
    fileprivate var outcome: Outcome? {
        switch self {
        case .malformed, .requestRefused, .linkUsed, .linkExpired: nil
        // The challenge stays, so an earlier copy with its factors may be taken yet.
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

import PushCore

/// What a manager's replies mean to this device: values, errors, outcomes, and what is kept of them.
struct ManagerReplies {
    let account: Account

    /// What a manager did, or its refusal as an error.
    ///
    /// An activation that the manager no longer knows is flagged, not deleted: the user ends it.
    func value<Value>(of reply: XignInReply<Value>) async throws(PushError) -> Value {
        switch reply {
        case .success(let value): return value
        case .failure(let refusal):
            try await note(refusal)
            throw refusal.error
        }
    }

    /// What a manager did about a process, or its refusal as an error; a lockout is kept.
    func value<Value>(
        of reply: XignInReply<Value>, about process: String
    ) async throws(PushError) -> Value {
        if case .failure(.locked(let lockout)) = reply {
            try await note(lockout, of: process)
        }
        return try await value(of: reply)
    }

    /// What came of an answer, in the core's terms.
    ///
    /// - Parameters:
    ///   - reply: What the manager said to the answer.
    ///   - prepared: The answer.
    ///   - announcement: What announced the process; after a wrong factor it has another context.
    /// - Returns: The outcome.
    /// - Throws: `PushError` if the manager didn't judge the answer: the decision stays on record then.
    func outcome(
        of reply: XignInReply<XignInVerdict>, to prepared: PreparedAnswer,
        for announcement: inout Announcement
    ) async throws(PushError) -> Outcome {
        let process = announcement.notice.id.name
        switch reply {
        case .success(.taken):
            // The manager's word counts even if the store can't forget now.
            try? await note(nil, of: process)
            return .delivered
        case .success(.lockout(let lockout, let context)):
            try? await note(lockout, of: process)
            var note = try announcement.note
            note.retry = ProcessNote.Retry(seen: prepared.seen, newest: context)
            // With the wrong factor came another challenge, so no earlier copy counts any more, and
            // none has, as the process would be finished.
            let refusal = Outcome.Refusal(
                .verification, mayRetry: !lockout.isPermanent, appliesToAllCopies: true,
                attemptsLeft: lockout.remaining, status: 200)
            announcement.renew(note.sealed)
            return .notTaken(refusal)
        case .failure(let refusal):
            try await note(refusal)
            if case .locked(let lockout) = refusal { try? await note(lockout, of: process) }
            guard let final = refusal.outcome else { throw refusal.error }
            guard refusal == .processOver(.finished), prepared.isMadeAgain else {
                return final
            }
            return .unknown("It is finished: by an earlier answer of this device, or by another's.")
        }
    }

    // MARK: Records

    /// Flags an activation that the manager no longer knows.
    func flag() async throws(PushError) -> Enrollment {
        try await account.changeEnrollment { enrollment in
            enrollment.state = .needsReenrollment
            return enrollment
        }
    }

    private func note(_ refusal: XignInRefusal) async throws(PushError) {
        guard refusal == .activationUnknown else { return }
        _ = try await flag()
    }

    /// Keeps what a manager says about wrong factors of a process; `nil` forgets it.
    func note(_ lockout: LockoutInformation?, of process: String) async throws(PushError) {
        let known = try account.credential(as: XignInRecord.self).lockout(of: process)
        guard known != lockout else { return }
        try await account.change { (record: inout XignInRecord, _) in
            record.note(lockout, of: process)
        }
    }
}

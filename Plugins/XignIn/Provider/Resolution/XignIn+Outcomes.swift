public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XignIn {
    /// What the manager said of the last wrong factor, or of the lockout that ended a process: how
    /// long to wait, and how many tries are left.
    ///
    /// - Returns: `nil` if neither the last answer nor opening it brought one, or the app was
    ///   restarted since.
    public func lockoutInformation(of process: Challenge.ID) async -> LockoutInformation? {
        await tries.lockout(of: process)
    }

    /// What a manager's word on an answer is to the core.
    ///
    /// - Parameters:
    ///   - reply: The manager's word.
    ///   - process: What was answered.
    ///   - isRemade: Whether another answer of this device may have reached the manager before, such
    ///     as one with a PIN that was typed earlier.
    /// - Throws: `PushError` if it is no word on the answer: the decision stays on record then.
    func outcome(
        of reply: XignInReply<XignInVerdict>, _ process: Challenge.ID, isRemade: Bool
    ) async throws(PushError) -> Outcome {
        let outcome: Outcome
        switch reply {
        case .done(.userLogin), .done(.rejected):
            outcome = .delivered
        case .done(.lockout(let lockout, let context)):
            await tries.note(lockout, context: context, of: process)
            // With the wrong factor came another challenge, so no earlier copy counts any more, and
            // none has, as the process would be finished.
            outcome = .notTaken(
                Outcome.Refusal(
                    .verification, mayRetry: !lockout.isPermanent, noCopyTaken: true,
                    attemptsLeft: lockout.remaining, status: 200))
        case .refused(let refusal):
            try await note(refusal, at: process.enrollment)
            if case .locked(let lockout) = refusal {
                await tries.note(lockout, context: nil, of: process)
            }
            guard let final = refusal.outcome else { throw refusal.error.of(id) }
            outcome =
                refusal == .processFinished && isRemade
                ? .unknown("It is finished: by an earlier answer of this device, or by another's.")
                : final
        }
        if case .delivered = outcome { await tries.forget(process) }
        // The manager's word counts even if the store can't forget now; what stays was judged.
        try? await forgetAnswer(to: process)
        return outcome
    }

    /// Keeps an answer until there is a verdict on it, and forgets others that will get none.
    ///
    /// - Parameters:
    ///   - answer: What may be kept of it.
    ///   - isRemade: Whether another answer of this device may have reached the manager before.
    func keep(
        _ answer: Secret, to notice: Notice, isRemade: Bool
    ) async throws(PushError) {
        let process = notice.id
        let kept = XignInRecord.Kept(
            process: process.name, expiry: notice.expiry ?? environment.clock.now, answer: answer,
            isRemade: isRemade)
        let late = try await lateAnswers(at: process.enrollment)
        try await vault.update(process.enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            for process in late { record.forget(process) }
            record.keep(kept)
            credential.secret = record.sealed
        }
    }

    /// The processes whose answer is kept in vain: their manager remembers them no longer than ten
    /// minutes after their end.
    private func lateAnswers(at enrollment: Enrollment.ID) async throws(PushError) -> [String] {
        let credential = try await vault.existing(enrollment)
        let clock = environment.clock
        var late: [String] = []
        for kept in try XignInRecord(reading: credential.secret).answers {
            let validity = await clock.servers.validity(
                until: kept.expiry + 600, for: enrollment, at: nil, elapsed: clock.elapsed)
            if validity == .expired { late.append(kept.process) }
        }
        return late
    }

    /// Forgets an answer.
    func forgetAnswer(to process: Challenge.ID) async throws(PushError) {
        try await vault.update(process.enrollment) { (credential) throws(PushError) in
            var record = try XignInRecord(reading: credential.secret)
            record.forget(process.name)
            credential.secret = record.sealed
        }
    }

    func keptAnswer(
        to process: Challenge.ID
    ) async throws(PushError) -> XignInRecord.Kept? {
        let credential = try await vault.existing(process.enrollment)
        return try XignInRecord(reading: credential.secret).answer(to: process.name)
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

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PushAuthenticator {
    /// Takes a message: finds its provider, verifies it, and remembers what it announces.
    ///
    /// - Returns: What came of it; `[]` if no linked plugin knows it: it's the app's own.
    /// - Throws: ``PushError`` if it can't be trusted. Nothing has been stored or changed then.
    public func receive(_ message: PushMessage) async throws(PushError) -> [Reception] {
        do throws(PushError) {
            var results: [Result<[Reception], PushError>] = []
            for event in try await registry.events(from: message) {
                results += try await take(event)
            }
            return try merged(results)
        } catch {
            report(error, "A message was refused.")
            throw error
        }
    }

    /// Asks a vendor what waits for an answer, and remembers it.
    public func pending(for id: Enrollment.ID) async throws(PushError) -> [Reception] {
        try await pending(for: id, after: nil)
    }

    /// Asks every vendor that has a list what waits for an answer; at start, at foreground, after
    /// any push.
    ///
    /// - Returns: What was found, and the enrollments that couldn't be asked.
    public func pending() async throws(PushError) -> (
        found: [Reception], failures: [Enrollment.ID: PushError]
    ) {
        let asked = try await enrollments().map(\.id).filter(listsPending)
        let answers = await each(asked) { id in
            (id, await Result { () async throws(PushError) in try await self.pending(for: id) })
        }
        var found: [Reception] = []
        var failures: [Enrollment.ID: PushError] = [:]
        for (id, answer) in answers {
            switch answer {
            case .success(let receptions): found += receptions
            case .failure(let error): failures[id] = error
            }
        }
        return (found, failures)
    }

    private func listsPending(_ id: Enrollment.ID) -> Bool {
        registry[id.provider]?.capabilities.contains(.pendingList) == true
    }

    /// Asks in the background what else waits at the vendor of a message: pushes get lost.
    private func askAround(_ id: Enrollment.ID) {
        guard policies.asksAfterPush, listsPending(id), asking.insert(id).inserted else { return }
        Task { [weak self] in await self?.askNow(id) }
    }

    private func askNow(_ id: Enrollment.ID) async {
        // Removed before asking: a message that comes meanwhile may be of something newer.
        asking.remove(id)
        do throws(PushError) {
            _ = try await pending(for: id)
        } catch {
            report(error.of(id.provider), "A vendor couldn't be asked what else waits.")
        }
    }

    private func pending(
        for id: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> [Reception] {
        let provider = try provider(id.provider)
        let announcements = try await turn(of: id) {
            () async throws(PushError) -> [Announcement] in
            try await provider.resolver.pending(for: id, after: hint)
        }
        guard announcements.allSatisfy({ $0.notice.id.enrollment == id }) else {
            throw PushError(
                .untrusted, "The provider listed another enrollment's.", provider: id.provider)
        }
        var receptions: [Reception] = []
        for announcement in announcements {
            do throws(PushError) {
                receptions.append(try await remember(announcement))
            } catch  where error.code == .malformed {
                // One damaged row must not hide what else waits.
                report(damaged: .challenge, "A ledger row is damaged.", of: id)
            }
        }
        return receptions
    }

    /// What was found, unless nothing was and something failed: one vendor that can't be asked
    /// doesn't stop the others.
    private func merged(
        _ results: [Result<[Reception], PushError>]
    ) throws(PushError) -> [Reception] {
        var found: [Reception] = []
        var failures: [PushError] = []
        for result in results {
            switch result {
            case .success(let receptions): found += receptions
            case .failure(let error): failures.append(error)
            }
        }
        if found.isEmpty, let first = failures.first { throw first }
        for failure in failures { report(failure, "A hint couldn't be followed.") }
        return found
    }

    private func take(
        _ event: PushEvent
    ) async throws(PushError) -> [Result<[Reception], PushError>] {
        switch event {
        case .notice(let announcement):
            let reception = try await remember(announcement)
            askAround(announcement.notice.id.enrollment)
            return [.success([reception])]
        case .withdrawal(let withdrawal):
            _ = try await promoted(withdrawal.id.enrollment)
            let reception = try await close(withdrawal)
            askAround(withdrawal.id.enrollment)
            return [.success([reception])]
        case .incompatible(let incompatible):
            return [.success([try await remember(incompatible)])]
        case .hint(let hint):
            var results: [Result<[Reception], PushError>] = []
            for id in hint.enrollments.sorted(by: { $0.name < $1.name }) {
                results.append(
                    await Result { () async throws(PushError) -> [Reception] in
                        try await follow(hint, at: id)
                    }.mapError { $0.of(id.provider) })
            }
            return results
        }
    }

    private func follow(
        _ hint: Hint, at id: Enrollment.ID
    ) async throws(PushError) -> [Reception] {
        switch hint.topic {
        case .challenges:
            return try await pending(for: id, after: hint)
        case .enrollment:
            return [Reception(kind: .enrollment(try await refresh(id)), isNew: true)]
        case .inbox(let message):
            return [published(.inbox(id, message), isNew: true)]
        case .finished(let name):
            // Said by nobody in particular, so the vendor is asked.
            let challenge = Challenge.ID(name, of: id)
            let provider = try provider(id.provider)
            guard let announcement = try await ledger.row(challenge)?.announcement else {
                return []
            }
            let status = try await turn(of: id) {
                () async throws(PushError) -> Challenge.Status in
                try await provider.resolver.status(of: announcement)
            }
            guard case .over(let outcome) = status else { return [] }
            return [try await close(Withdrawal(challenge, outcome.reason))]
        }
    }

    func close(
        _ withdrawal: Withdrawal, tells: Bool = true
    ) async throws(PushError) -> Reception {
        let isNew = try await ledger.close(
            withdrawal, forgetsContext: try forgetsContext(withdrawal.id))
        guard tells else { return Reception(kind: .over(withdrawal), isNew: isNew) }
        return published(.over(withdrawal), isNew: isNew)
    }

    /// Whether what opens a challenge is forgotten once it's over.
    func forgetsContext(_ id: Challenge.ID) throws(PushError) -> Bool {
        try provider(id.enrollment.provider).capabilities.contains(.forgetsContext)
    }

    private func remember(_ announcement: Announcement) async throws(PushError) -> Reception {
        let notice = announcement.notice
        let enrollment = try await promoted(notice.id.enrollment)
        if let issued = notice.issued, let host = enrollment.host {
            let clock = environment.clock
            await clock.servers.note(issued: issued, at: host, elapsed: clock.elapsed)
        }
        let (row, isNew) = try await ledger.open(announcement)
        if isNew { try await forgetIfRemoved(notice.id) }
        switch row.state {
        case .over(let withdrawal):
            return Reception(kind: .over(withdrawal), isNew: false)
        case .decided(let resolution), .answered(let resolution, _):
            return Reception(
                kind: .answered(row.announcement?.notice ?? notice, resolution), isNew: false)
        case .open:
            let known = row.announcement?.notice ?? notice
            let validity = await validity(of: known, at: enrollment.host)
            if validity == .expired, try !takesLateAnswers(known.id) {
                return try await close(Withdrawal(known.id, .expired))
            }
            let burst = isNew ? await countForBrake(enrollment.id) : nil
            return published(.notice(known, validity), isNew: isNew, burst: burst)
        }
    }

    private func remember(_ incompatible: Incompatible) async throws(PushError) -> Reception {
        let host = try await promoted(incompatible.id.enrollment).host
        guard !incompatible.withdraws else {
            let isNew = try await close(Withdrawal(incompatible.id, .cancelled), tells: false).isNew
            return published(.incompatible(incompatible), isNew: isNew)
        }
        if await validity(until: incompatible.expiry, at: host) == .expired {
            return try await close(Withdrawal(incompatible.id, .expired))
        }
        let isNew = try await ledger.note(incompatible.id)
        return published(.incompatible(incompatible), isNew: isNew)
    }

    /// Takes a new row back if its enrollment was removed, rows and all, before it was written.
    private func forgetIfRemoved(_ id: Challenge.ID) async throws(PushError) {
        do throws(PushError) {
            _ = try await environment.vault(for: id.enrollment.provider).existing(id.enrollment)
        } catch {
            if error.code == .unknownEnrollment {
                try await ledger.remove(id) { $0.state == .open }
            }
            throw error
        }
    }

    /// A message that an enrollment's key verified confirms an enrollment whose reply was lost.
    private func promoted(_ id: Enrollment.ID) async throws(PushError) -> Enrollment {
        let vault = environment.vault(for: id.provider)
        let enrollment = try await vault.existing(id).enrollment
        guard enrollment.state == .pending(.unconfirmed) else { return enrollment }
        let confirmed = try await vault.update(id) { credential in
            if credential.enrollment.state == .pending(.unconfirmed) {
                credential.enrollment.state = .active
            }
            return credential.enrollment
        }
        publish(.enrollment(confirmed))
        await checkDeviceToken(of: confirmed)
        return confirmed
    }

    func validity(of notice: Notice, at host: String?) async -> Validity {
        await validity(until: notice.expiry, at: host)
    }

    private func validity(until expiry: Date?, at host: String?) async -> Validity {
        let clock = environment.clock
        return await clock.servers.validity(until: expiry, at: host, elapsed: clock.elapsed)
    }

    func takesLateAnswers(_ id: Challenge.ID) throws(PushError) -> Bool {
        try provider(id.enrollment.provider).capabilities.contains(.lateAnswers)
    }

    private func published(
        _ kind: Reception.Kind, isNew: Bool, burst: Int? = nil
    ) -> Reception {
        let isQuiet = if case .quiet = policies.brake, burst != nil { true } else { false }
        let reception = Reception(kind: kind, isNew: isNew && !isQuiet, burst: burst)
        if isNew { publish(.received(reception)) }
        return reception
    }
}

extension Outcome {
    /// Why a challenge is over that ended so, as its vendor tells it who was asked.
    fileprivate var reason: Withdrawal.Reason {
        switch self {
        case .expired: .expired
        case .cancelled: .cancelled
        case .answeredElsewhere: .elsewhere
        default: .finished
        }
    }
}

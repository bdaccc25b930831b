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
            var hints: [Hint] = []
            var results: [Result<[Reception], PushError>] = []
            try await environment.remembering { () async throws(PushError) in
                for event in try await registry.events(from: message) {
                    if case .hint(let hint) = event { hints.append(hint) }
                    if let reception = try await take(event) {
                        results.append(.success([reception]))
                    }
                }
            }
            for hint in hints { results += await follow(hint, from: message.channel) }
            return try merged(results)
        } catch {
            report(error, "A message was refused.")
            throw error
        }
    }

    /// Takes what was verified; hints prove nothing.
    private func take(_ event: PushEvent) async throws(PushError) -> Reception? {
        switch event {
        case .notice(let announcement):
            let reception = try await remember(announcement)
            askAround(announcement.notice.id.enrollment)
            return reception
        case .withdrawal(let withdrawal):
            _ = try await promoted(withdrawal.id.enrollment)
            let reception = try await close(withdrawal)
            askAround(withdrawal.id.enrollment)
            return reception
        case .incompatible(let incompatible):
            return try await remember(incompatible)
        case .hint:
            return nil
        }
    }

    func close(
        _ withdrawal: Withdrawal, tells: Bool = true
    ) async throws(PushError) -> Reception {
        let isNew = try await ledger.close(
            withdrawal, forgetsContext: try forgetsContext(withdrawal.id))
        openChallenges.remove(withdrawal.id)
        guard tells else { return Reception(kind: .over(withdrawal), isNew: isNew) }
        return published(.over(withdrawal), isNew: isNew)
    }

    /// Whether what opens a challenge is forgotten once it's over.
    func forgetsContext(_ id: Challenge.ID) throws(PushError) -> Bool {
        try provider(id.enrollment.provider).capabilities.contains(.forgetsContext)
    }

    func remember(_ announcement: Announcement) async throws(PushError) -> Reception {
        let notice = announcement.notice
        let enrollment = try await promoted(notice.id.enrollment)
        let (row, isNew) = try await ledger.open(announcement)
        if announcement.renewsContext { opened[notice.id] = nil }
        openChallenges.note(row)
        if isNew {
            try await forgetIfRemoved(notice.id)
            // A message that comes again says nothing new of the time.
            await learnTime(from: notice, of: enrollment)
        }
        switch row.state {
        case .over(let withdrawal):
            return Reception(kind: .over(withdrawal), isNew: false)
        case .decided(let resolution), .answered(let resolution, _):
            return Reception(
                kind: .answered(row.announcement?.notice ?? notice, resolution), isNew: false)
        case .open:
            let known = row.announcement?.notice ?? notice
            let validity = await validity(of: known, at: enrollment.server)
            if validity == .expired, try !takesLateAnswers(known.id) {
                return try await close(Withdrawal(known.id, .expired))
            }
            if isNew { hurryPolling(of: enrollment.id) }
            let burst = isNew ? await countForBrake(enrollment.id) : nil
            return published(.notice(known, validity), isNew: isNew, burst: burst)
        }
    }

    private func remember(_ incompatible: Incompatible) async throws(PushError) -> Reception {
        let enrollment = try await promoted(incompatible.id.enrollment)
        guard !incompatible.withdraws else {
            let withdrawal = Withdrawal(incompatible.id, .cancelled, expiry: incompatible.expiry)
            let isNew = try await close(withdrawal, tells: false).isNew
            return published(.incompatible(incompatible), isNew: isNew)
        }
        let validity = await validity(
            until: incompatible.expiry, of: enrollment.id, at: enrollment.server)
        if validity == .expired {
            return try await close(Withdrawal(incompatible.id, .expired))
        }
        let isNew = try await ledger.mention(incompatible.id)
        return published(.incompatible(incompatible), isNew: isNew)
    }

    /// Takes a new row back if its enrollment was removed, rows and all, before it was written.
    private func forgetIfRemoved(_ id: Challenge.ID) async throws(PushError) {
        await RecordMemo.forgetAll()
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
        servers[id] = enrollment.server
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

    private func learnTime(from notice: Notice, of enrollment: Enrollment) async {
        // Of what was fetched only the connection says whose it is; its provider tells what the vendor
        // signed in it.
        guard notice.proof != .fetched, let issued = notice.issued else { return }
        let clock = environment.clock
        await clock.servers.note(
            issued: issued, for: enrollment.id, at: enrollment.server, now: clock.now,
            elapsed: clock.elapsed)
    }

    func validity(of notice: Notice, at server: ServerID?) async -> Validity {
        await validity(until: notice.expiry, of: notice.id.enrollment, at: server)
    }

    func validity(
        until expiry: Date?, of enrollment: Enrollment.ID, at server: ServerID?
    ) async -> Validity {
        let clock = environment.clock
        return await clock.servers.validity(
            until: expiry, for: enrollment, at: server, elapsed: clock.elapsed)
    }

    func takesLateAnswers(_ id: Challenge.ID) throws(PushError) -> Bool {
        try provider(id.enrollment.provider).capabilities.contains(.lateAnswers)
    }

    func published(
        _ kind: Reception.Kind, isNew: Bool, burst: Int? = nil
    ) -> Reception {
        let isQuiet = if case .quiet = policies.brake, burst != nil { true } else { false }
        let reception = Reception(kind: kind, isNew: isNew && !isQuiet, burst: burst)
        if isNew { publish(.received(reception)) }
        return reception
    }
}

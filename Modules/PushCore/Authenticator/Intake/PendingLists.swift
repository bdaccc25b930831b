/// What a vendor lists as waiting, and what its list no longer has.
struct PendingLists: Sendable {
    /// How many challenges that a list lacks are asked about after one list.
    private static let maximumAskedAbout = 16

    let core: AuthenticatorCore
    let challenges: ChallengeLifecycle
    let turns: EnrollmentTurns
    let servers: KnownServers
    let recorder: ArrivalRecorder

    /// Asks the vendors of enrollments what waits for an answer.
    func pending(
        for ids: [Enrollment.ID]
    ) async -> (found: [Reception], failures: [Enrollment.ID: PushError]) {
        let answers = await core.each(ids, of: { $0.provider }) { id in
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

    /// Asks a vendor what waits for an answer, and remembers it.
    ///
    /// - Parameters:
    ///   - id: The enrollment.
    ///   - hint: The message that led to it.
    ///   - read: What was read for that.
    /// - Returns: What the vendor lists, and what was closed.
    /// - Throws: What the provider and the store throw.
    func pending(
        for id: Enrollment.ID, after hint: Hint? = nil, knowing read: ReadForHint? = nil
    ) async throws(PushError) -> [Reception] {
        let start = core.environment.clock.elapsed
        let (pending, known, enrollment) = try await list(of: id, after: hint, knowing: read)
        guard pending.announcements.allSatisfy({ $0.notice.id.enrollment == id }) else {
            throw PushError(
                .untrusted, "The provider listed another enrollment's.", provider: id.provider)
        }
        var receptions: [Reception] = []
        for announcement in pending.announcements {
            do throws(PushError) {
                let reception = try await recorder.remember(
                    announcement, of: enrollment, isListed: true)
                // A list says the same again and again.
                if reception.isNew { core.tell([reception], since: start) }
                receptions.append(reception)
            } catch  where error.isUnreadableRow {
                // One row that can't be read must not hide what else waits.
                await core.report(UnreadableRow(id: announcement.notice.id, error: error))
            } catch  where error.code == .untrusted {
                await core.report(
                    error.attributed(to: id.provider), "Two announcements contradict each other.")
            }
        }
        let listed = Set(pending.announcements.map(\.notice.id))
        guard pending.isComplete else { return receptions }
        guard let reason = pending.endsUnlisted else {
            return receptions + (try await askAboutUnlisted(of: id, besides: listed))
        }
        for challenge in known where !listed.contains(challenge) {
            receptions += await reporting(id) { () async throws(PushError) in
                try await challenges.closeUnlisted(Withdrawal(challenge, reason))
            }
        }
        return receptions
    }

    /// Asks a vendor for its list.
    ///
    /// - Returns: The list, and what was open before: it is as old as the question, so it says nothing
    ///   of what is announced meanwhile; and the enrollment, where that spares a trip.
    private func list(
        of id: Enrollment.ID, after hint: Hint?, knowing read: ReadForHint?
    ) async throws(PushError) -> (list: Pending, known: [Challenge.ID], of: Enrollment?) {
        let resolver = try core.provider(id.provider).resolver
        guard await !servers.isListRefused(of: id) else {
            throw PushError(
                .listRefused, "The vendor has said that nobody may ask.", provider: id.provider)
        }
        do throws(PushError) {
            let along =
                recorder.burstCounter.keysBesideCredential(of: id)
                + (await servers.keysBesideCredential(of: id))
            let clock = core.environment.clock
            return try await turns.turn(
                of: id, asQuestion: true, knowing: { read?.records(at: clock.elapsed) ?? [] },
                along: along
            ) {
                () async throws(PushError) -> (
                    list: Pending, known: [Challenge.ID], of: Enrollment?
                )
                in
                await servers.learnPause(of: id)
                let known = core.listsPending(id) ? try await challenges.known(of: id) : []
                let list = try await resolver.pending(
                    of: try await core.account(id), after: hint)
                guard core.ledger.isIndexed else { return (list, known, nil) }
                await recorder.burstCounter.learn(id)
                return (list, known, try await servers.enrollment(id))
            }
        } catch {
            if error.code == .listRefused { await servers.noteList(of: id, isRefused: true) }
            throw error
        }
    }

    /// Asks about the open challenges that a complete list lacks, and closes those that are over.
    private func askAboutUnlisted(
        of id: Enrollment.ID, besides listed: Set<Challenge.ID>
    ) async throws(PushError) -> [Reception] {
        let candidates = try await challenges.next(
            of: id, besides: listed, most: Self.maximumAskedAbout)
        var receptions: [Reception] = []
        for challenge in candidates {
            receptions += await reporting(id) { () async throws(PushError) in
                try await closedIfOver(challenge)
            }
        }
        return receptions
    }

    /// What one challenge comes to; an error keeps none of the others waiting.
    private func reporting(
        _ id: Enrollment.ID, _ body: () async throws(PushError) -> [Reception]
    ) async -> [Reception] {
        do throws(PushError) {
            return try await body()
        } catch {
            await core.report(
                error.attributed(to: id.provider),
                "What became of a challenge couldn't be learned.")
            return []
        }
    }

    /// Asks about a challenge that is open here, and closes it if its vendor says that it is over.
    func closedIfOver(_ id: Challenge.ID) async throws(PushError) -> [Reception] {
        guard let row = try await core.ledger.row(id), row.state == .open,
            let announcement = row.announcement
        else {
            await challenges.note(id, isOpen: false)
            return []
        }
        return try await turns.turn(of: id.enrollment, asQuestion: true) {
            () async throws(PushError) in try await challenges.closeIfOver(announcement)
        }
    }

    /// Asks for an enrollment's state.
    func refreshed(_ id: Enrollment.ID) async throws(PushError) -> [Reception] {
        let provider = try core.provider(id.provider)
        let before = await servers.state(of: id)
        let enrollment = try await turns.turn(of: id, asQuestion: true) {
            () async throws(PushError) in
            try await provider.enroller.refresh(try await core.account(id))
        }
        await servers.noteList(of: id, isRefused: false)
        return [Reception(kind: .enrollment(enrollment), isNew: enrollment.state != before)]
    }
}

/// What was read of an enrollment to recognize a message that proves nothing.
struct ReadForHint: Sendable {
    /// How long it spares reading it again. If another turn changed it meanwhile, compare-and-set finds
    /// out.
    private static let maximumAge = Duration.seconds(1)

    private let known: [KnownRecord]
    private let time: Duration

    init(_ known: [KnownRecord], at time: Duration) {
        self.known = known
        self.time = time
    }

    /// The records, unless they are old.
    func records(at now: Duration) -> [KnownRecord] {
        now - time < Self.maximumAge ? known : []
    }
}

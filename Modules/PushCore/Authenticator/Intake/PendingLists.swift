/// What a vendor lists as waiting, and what its list no longer has.
struct PendingLists: Sendable {
    /// How many challenges that a list lacks are asked about after one list.
    private static let maximumAskedAbout = 16

    private static let unlearned: StaticString = "What became of a challenge couldn't be learned."

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
        let found = answers.flatMap { _, answer in (try? answer.get()) ?? [] }
        let failures = answers.compactMap { id, answer in answer.error.map { (id, $0) } }
        return (found, Dictionary(failures) { $1 })
    }

    /// Asks a vendor what waits for an answer, and remembers it: what it lists, and what was
    /// closed. A message may have led to it, for which the document was read.
    func pending(
        for id: Enrollment.ID, after hint: PushEvent.Hint? = nil, knowing read: ReadForHint? = nil
    ) async throws(PushError) -> [Reception] {
        let start = core.environment.clock.elapsed
        let (pending, known, hand) = try await list(of: id, after: hint, knowing: read)
        guard pending.announcements.allSatisfy({ $0.notice.id.enrollment == id }) else {
            throw PushError(
                .untrusted, "The provider listed another enrollment's.", provider: id.provider)
        }
        var receptions: [Reception] = []
        let results =
            pending.announcements.isEmpty
            ? []
            : try await recorder.remember(pending.announcements, in: hand, isListed: true)
        for result in results {
            do throws(PushError) {
                let reception = try result.get()
                // A list says the same again and again.
                if reception.isNew { core.tell(reception, since: start) }
                receptions.append(reception)
            } catch  where error.code == .unsupportedRecord {
                // One row that can't be read must not hide what else waits.
                core.observe(.damaged(.challenge), "A challenge's row can't be read.", of: id)
            } catch  where error.code == .untrusted {
                core.report(error, "Two announcements contradict each other.", by: id.provider)
            }
        }
        let listed = Set(pending.announcements.map(\.notice.id))
        let missing = known.filter { !listed.contains($0) }
        guard pending.isComplete else { return receptions }
        guard let reason = pending.endsUnlisted else {
            return receptions + (await askAboutUnlisted(missing))
        }
        let closed = await core.reporting(Self.unlearned, by: id.provider) {
            () async throws(PushError) in
            try await challenges.closeUnlisted(missing.map { Withdrawal($0, reason) }, in: hand)
        }
        return receptions + (closed ?? [])
    }

    /// Asks a vendor for its list. What was open before is as old as the question, so that the list
    /// says nothing of what is announced meanwhile.
    private func list(
        of id: Enrollment.ID, after hint: PushEvent.Hint?, knowing read: ReadForHint?
    ) async throws(PushError) -> (list: Pending, known: [Challenge.ID], hand: DocumentInHand) {
        let resolver = try core.provider(id.provider).resolver
        guard await !servers.refusedLists.contains(id) else {
            throw PushError(
                .listRefused, "The vendor has said that nobody may ask.", provider: id.provider)
        }
        do throws(PushError) {
            let clock = core.environment.clock
            return try await turns.turn(
                of: id, asQuestion: true, from: { read?.hand(of: id, at: clock.elapsed) }
            ) {
                (turn) async throws(PushError) -> (Pending, [Challenge.ID], DocumentInHand) in
                let hand = try await turn.hand()
                let known = hand.open
                await challenges.note(open: known, of: id)
                let list = try await resolver.pending(of: try hand.account(), after: hint)
                return (list, core.listsPending(id) ? known : [], hand)
            }
        } catch {
            if error.code == .listRefused { await servers.noteList(of: id, isRefused: true) }
            throw error
        }
    }

    /// Asks about open challenges that a complete list lacks, and closes those that are over.
    private func askAboutUnlisted(_ missing: [Challenge.ID]) async -> [Reception] {
        let candidates = await challenges.next(of: missing, most: Self.maximumAskedAbout)
        var receptions: [Reception] = []
        for challenge in candidates {
            // An error keeps none of the others waiting.
            receptions +=
                await core.reporting(Self.unlearned, by: challenge.enrollment.provider) {
                    () async throws(PushError) in try await closedIfOver(challenge)
                } ?? []
        }
        return receptions
    }

    /// Asks about a challenge that is open here, and closes it if its vendor says that it is over.
    func closedIfOver(_ id: Challenge.ID) async throws(PushError) -> [Reception] {
        try await turns.turn(of: id.enrollment, asQuestion: true) {
            (turn) async throws(PushError) -> [Reception] in
            let hand = try await turn.hand()
            guard case .row(let row) = try hand.known(id), row.state == .open,
                let announcement = row.announcement
            else {
                await challenges.note(id, isOpen: false)
                return []
            }
            return try await challenges.closeIfOver(announcement, in: hand)
        }
    }

    /// The unread messages of the vendor's inbox that this device hasn't been told of; they ask
    /// nothing.
    func news(of id: Enrollment.ID) async throws(PushError) -> [Reception] {
        guard let inbox = try core.provider(id.provider).inbox else { return [] }
        let (listed, hand) = try await turns.turn(of: id, asQuestion: true) {
            (turn) async throws(PushError) in
            (try await inbox.unread(of: try await turn.account()), try await turn.hand())
        }
        let areNew = try await core.change(hand) { (document, _) in
            document.tell(listed.map(\.id))
        }
        var receptions: [Reception] = []
        for (message, isNew) in zip(listed, areNew) where isNew && !message.isRead {
            receptions.append(await core.published(.inbox(id, message), isNew: true))
        }
        return receptions
    }

    /// Asks for an enrollment's state.
    func refreshed(_ id: Enrollment.ID) async throws(PushError) -> [Reception] {
        let provider = try core.provider(id.provider)
        let (before, enrollment) = try await turns.turn(of: id, asQuestion: true) {
            (turn) async throws(PushError) in
            let account = try await turn.account()
            let before = account.enrollment.state
            return (before, try await provider.enroller.refresh(account))
        }
        await servers.noteList(of: id, isRefused: false)
        return [Reception(kind: .enrollment(enrollment), isNew: enrollment.state != before)]
    }
}

/// What was read of enrollments to recognize a message that proves nothing.
struct ReadForHint: Sendable {
    /// How long it spares reading them again. If another turn changed one meanwhile,
    /// compare-and-set finds out.
    private static let maximumAge = Duration.seconds(1)

    let hands: [Enrollment.ID: DocumentInHand]
    let time: Duration

    /// An enrollment's document, unless it is old.
    func hand(of id: Enrollment.ID, at now: Duration) -> DocumentInHand? {
        now - time < Self.maximumAge ? hands[id] : nil
    }
}

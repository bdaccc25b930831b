/// Remembers what was verified, whichever way it came: a push, a scan or a vendor's list.
struct ArrivalRecorder: Sendable {
    let core: AuthenticatorCore
    let challenges: ChallengeLifecycle
    let turns: EnrollmentTurns
    let polling: PollingLoop

    /// Remembers announcements, all by one write: what the app is told of each, or why one can't be
    /// taken. They were verified by the document in hand; if its enrollment is gone or was made
    /// again, none counts.
    func remember(
        _ announcements: [Announcement], in hand: DocumentInHand, isListed: Bool = false
    ) async throws(PushError) -> [Result<Reception, PushError>] {
        let provider = try core.provider(hand.id.provider)
        let server = hand.enrollment.server
        var validities: [Validity] = []
        for announcement in announcements {
            validities.append(await core.validity(of: announcement.notice, at: server))
        }
        let burst = core.configuration.bursts.burst
        let (wasPending, arrivals) = try await core.change(hand) {
            (document, rules) throws(PushError) in
            let wasPending = try document.confirm()
            var arrivals: [Result<Arrival, PushError>] = []
            for (announcement, validity) in zip(announcements, validities) {
                let arrival = Result { () throws(PushError) in
                    var arrival = try document.announce(
                        announcement, isListed: isListed,
                        isExpired: validity == .expired && !rules.takesLateAnswers, by: rules
                    ) { (known, other) throws(PushError) in try provider.merged(known, other) }
                    // What has expired is closed at once, and isn't counted.
                    if arrival.isNew, validity != .expired, let burst {
                        arrival.burst = document.bursts.count(
                            at: rules.now, beyond: burst.count, within: burst.window)
                    }
                    return arrival
                }
                arrivals.append(arrival)
            }
            // A list may be longer than there is room: later ones displaced some of its own.
            let closed = document.closed
            return (wasPending, arrivals.map { $0.map { $0.displaced(by: closed) } })
        }
        if wasPending { await tellConfirmed(hand) }
        var receptions: [Result<Reception, PushError>] = []
        for (announcement, arrival) in zip(announcements, arrivals) {
            receptions.append(
                await Result { () async throws(PushError) in
                    try await reception(of: announcement, try arrival.get(), in: hand)
                })
        }
        return receptions
    }

    private func reception(
        of announcement: Announcement, _ arrival: Arrival, in hand: DocumentInHand
    ) async throws(PushError) -> Reception {
        let notice = announcement.notice
        guard let row = arrival.row else {
            let kind = arrival.verdict?.resolution.map { Reception.Kind.answered(notice, $0) }
            return Reception(
                kind: kind ?? .over(Withdrawal(notice.id, .unknown)), isNew: false)
        }
        await challenges.note(row, isRenewed: arrival.isRenewed)
        // A message that comes again says nothing new of the time.
        if arrival.isNew { await learnTime(from: notice, of: hand.enrollment) }
        switch row.state {
        case .over(let withdrawal):
            // It had expired when it came.
            return await core.published(.over(withdrawal), isNew: arrival.isNew)
        case .decided(let resolution), .answered(let resolution, _):
            return Reception(
                kind: .answered(row.announcement?.notice ?? notice, resolution), isNew: false)
        case .open:
            let known = row.announcement?.notice ?? notice
            let validity = await core.validity(of: known, at: hand.enrollment.server)
            if validity == .expired, try !core.takesLateAnswers(known.id) {
                return try await challenges.close(Withdrawal(known.id, .expired), in: hand)
            }
            if arrival.isNew { await polling.hurry(hand.id) }
            // The app redraws it, and doesn't ring again.
            if arrival.hasOtherWords {
                await core.publish(
                    .received(Reception(kind: .notice(known, validity), isNew: false)))
            }
            return await core.published(
                .notice(known, validity), isNew: arrival.isNew, burst: arrival.burst)
        }
    }

    /// Takes a withdrawal, whether or not its challenge came.
    func remember(
        _ withdrawal: Withdrawal, in hand: DocumentInHand
    ) async throws(PushError) -> Reception {
        try await confirm(hand)
        return try await challenges.close(withdrawal, in: hand)
    }

    func remember(
        _ incompatible: PushEvent.Incompatible, in hand: DocumentInHand
    ) async throws(PushError) -> Reception {
        try await confirm(hand)
        guard !incompatible.withdraws else {
            let withdrawal = Withdrawal(incompatible.id, .cancelled, expiry: incompatible.expiry)
            let isNew = try await challenges.closeQuietly(withdrawal, in: hand)
            return await core.published(.incompatible(incompatible), isNew: isNew)
        }
        let validity = await core.validity(
            until: incompatible.expiry, of: hand.id, at: hand.enrollment.server)
        if validity == .expired {
            return try await challenges.close(Withdrawal(incompatible.id, .expired), in: hand)
        }
        let change = try await core.change(incompatible.id, in: hand) { row, _ in row.mention() }
        return await core.published(.incompatible(incompatible), isNew: change?.value ?? false)
    }

    /// A message that an enrollment's key verified confirms an enrollment whose reply was lost.
    private func confirm(_ hand: DocumentInHand) async throws(PushError) {
        let wasPending = try await core.change(hand) { (document, _) throws(PushError) in
            try document.confirm()
        }
        if wasPending { await tellConfirmed(hand) }
    }

    private func tellConfirmed(_ hand: DocumentInHand) async {
        await core.publish(.enrollment(hand.enrollment))
        await turns.checkDeviceToken(of: hand)
    }

    private func learnTime(from notice: Notice, of enrollment: Enrollment) async {
        // Of what was fetched only the connection says whose it is; its provider tells what the vendor
        // signed in it.
        guard notice.proof != .fetched, let issued = notice.issued else { return }
        let clock = core.environment.clock
        await clock.serverTime.note(
            issued: issued, for: enrollment.id, at: enrollment.server, now: clock.now,
            elapsed: clock.elapsed)
    }
}

extension EnrollmentDocument {
    /// Confirms an enrollment of which half was made, and that is in use here; whether that is
    /// news.
    fileprivate mutating func confirm() throws(PushError) -> Bool {
        try requireHere()
        guard head.enrollment.state == .pending(.unconfirmed) else { return false }
        head.enrollment.state = .active
        return true
    }

    /// Remembers an announcement, or what another one of a known challenge brings
    /// (``LedgerRow/announce(_:merge:)``).
    fileprivate mutating func announce(
        _ announcement: Announcement, isListed: Bool, isExpired: Bool, by rules: DocumentRules,
        merge: LedgerRow.Merge
    ) throws(PushError) -> Arrival {
        let id = announcement.notice.id
        let change = try change(id, by: rules) { (row) throws(PushError) -> Arrival in
            let known = row.announcement?.notice
            let isNew = try row.announce(announcement, merge: merge)
            let isRenewed = !isNew && row.hasChanged
            if isListed { row.list() }
            // It displaces nothing that can be answered.
            if isNew, isExpired {
                _ = row.withdraw(
                    Withdrawal(id, .expired), at: rules.now, isSingleUse: rules.isSingleUse)
            }
            return Arrival(row: nil, isNew: isNew, isRenewed: isRenewed, known: known)
        }
        guard let change else {
            guard case .trace(let trace) = try known(id) else { return Arrival(row: nil) }
            return Arrival(row: nil, verdict: trace.verdict)
        }
        var arrival = change.value
        arrival.row = change.row
        return arrival
    }
}

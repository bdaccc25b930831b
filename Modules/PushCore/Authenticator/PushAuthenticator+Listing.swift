/// What a vendor lists as waiting, and what its list no longer has.
extension PushAuthenticator {
    /// How many challenges that a list lacks are asked about after one list.
    private static let mostAskedAbout = 16

    /// Asks a vendor what waits for an answer, and remembers it.
    ///
    /// Where the vendor's list is complete, the vendor is asked about each open challenge that the
    /// list lacks; one that is over is closed, with the vendor's reason.
    ///
    /// - Returns: What the vendor lists, and what was closed.
    /// - Throws: ``PushError`` if the vendor couldn't be asked.
    public func pending(for id: Enrollment.ID) async throws(PushError) -> [Reception] {
        try await pending(for: id, after: nil)
    }

    /// Asks every vendor that has a list what waits for an answer; at start, at foreground, after
    /// any push.
    ///
    /// - Returns: What was found, and the enrollments that couldn't be asked.
    /// - Throws: ``PushError`` with the code `storage` if the enrollments can't be listed.
    public func pending() async throws(PushError) -> (
        found: [Reception], failures: [Enrollment.ID: PushError]
    ) {
        await pending(for: try await enrollments().map(\.id).filter(listsPending))
    }

    func pending(
        for ids: [Enrollment.ID]
    ) async -> (found: [Reception], failures: [Enrollment.ID: PushError]) {
        let answers = await each(ids) { id in
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

    func listsPending(_ id: Enrollment.ID) -> Bool {
        registry[id.provider]?.capabilities.contains(.pendingList) == true
    }

    func pending(
        for id: Enrollment.ID, after hint: Hint?
    ) async throws(PushError) -> [Reception] {
        let resolver = try provider(id.provider).resolver
        let pending = try await turn(of: id, asQuestion: true) {
            () async throws(PushError) in try await resolver.pending(for: id, after: hint)
        }
        guard pending.announcements.allSatisfy({ $0.notice.id.enrollment == id }) else {
            throw PushError(
                .untrusted, "The provider listed another enrollment's.", provider: id.provider)
        }
        var receptions: [Reception] = []
        for announcement in pending.announcements {
            do throws(PushError) {
                receptions.append(try await remember(announcement))
            } catch  where error.isUnreadableRow {
                // One row that can't be read must not hide what else waits.
                report(UnreadableRow(id: announcement.notice.id, error: error))
            }
        }
        if pending.isComplete {
            let listed = Set(pending.announcements.map(\.notice.id))
            receptions += try await closeUnlisted(of: id, besides: listed)
        }
        return receptions
    }

    /// Asks about the open challenges that a complete list lacks, and closes those that are over.
    private func closeUnlisted(
        of id: Enrollment.ID, besides listed: Set<Challenge.ID>
    ) async throws(PushError) -> [Reception] {
        if !openChallenges.hasSurveyed {
            let rows = try await ledgerSurvey().rows
            openChallenges.survey(rows)
        }
        let candidates = openChallenges.next(of: id, besides: listed, most: Self.mostAskedAbout)
        var receptions: [Reception] = []
        for challenge in candidates {
            do throws(PushError) {
                guard let row = try await ledger.row(challenge), row.state == .open,
                    let announcement = row.announcement
                else {
                    openChallenges.remove(challenge)
                    continue
                }
                receptions += try await turn(of: id, asQuestion: true) {
                    () async throws(PushError) in try await closeIfOver(announcement)
                }
            } catch {
                report(error.of(id.provider), "A vendor couldn't be asked what became of one.")
            }
        }
        return receptions
    }

    /// Closes a challenge if its vendor says that it is over.
    func closeIfOver(
        _ announcement: Announcement
    ) async throws(PushError) -> [Reception] {
        let id = announcement.notice.id
        let status = try await provider(id.enrollment.provider).resolver.status(
            of: announcement, kept: nil)
        guard case .over(let outcome, _) = status else { return [] }
        return [try await close(Withdrawal(id, outcome.reason))]
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

/// What a vendor lists as waiting, and what its list no longer has.
struct PendingLists: Sendable {
    /// How many challenges that a list lacks are asked about after one list.
    private static let maximumAskedAbout = 16

    let core: AuthenticatorCore
    let challenges: Challenges
    let turns: EnrollmentTurns
    let servers: KnownServers
    let remembering: ArrivalRecorder

    /// Asks the vendors of enrollments what waits for an answer.
    func pending(
        for ids: [Enrollment.ID]
    ) async -> (found: [Reception], failures: [Enrollment.ID: PushError]) {
        let answers = await core.each(ids) { id in
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
    func pending(
        for id: Enrollment.ID, after hint: Hint? = nil
    ) async throws(PushError) -> [Reception] {
        let resolver = try core.provider(id.provider).resolver
        let pending = try await turns.turn(of: id, asQuestion: true) {
            () async throws(PushError) in try await resolver.pending(for: id, after: hint)
        }
        guard pending.announcements.allSatisfy({ $0.notice.id.enrollment == id }) else {
            throw PushError(
                .untrusted, "The provider listed another enrollment's.", provider: id.provider)
        }
        var receptions: [Reception] = []
        for announcement in pending.announcements {
            do throws(PushError) {
                receptions.append(try await remembering.remember(announcement))
            } catch  where error.isUnreadableRow {
                // One row that can't be read must not hide what else waits.
                await core.report(UnreadableRow(id: announcement.notice.id, error: error))
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
        let candidates = try await challenges.next(
            of: id, besides: listed, most: Self.maximumAskedAbout)
        var receptions: [Reception] = []
        for challenge in candidates {
            do throws(PushError) {
                receptions += try await closedIfOver(challenge)
            } catch {
                await core.report(
                    error.attributed(to: id.provider),
                    "A vendor couldn't be asked about a challenge.")
            }
        }
        return receptions
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
            () async throws(PushError) in try await provider.enroller.refresh(id)
        }
        return [Reception(kind: .enrollment(enrollment), isNew: enrollment.state != before)]
    }
}

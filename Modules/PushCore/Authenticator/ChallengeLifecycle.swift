#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Opens challenges and closes them, and keeps what of the ledger's rows is at hand in this process.
actor ChallengeLifecycle {
    private let core: AuthenticatorCore
    private var open = OpenChallengeIndex()

    /// Rows of challenges that were opened, for their answer to start from.
    private var opened = Cache<Challenge.ID, OpenedRow>()

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    // MARK: Opening

    /// Opens a challenge, in its enrollment's turn.
    ///
    /// - Throws: ``PushError`` with the code `over` if it is over, or if it was answered and its provider
    ///   forgets what opens it.
    func opened(_ id: Challenge.ID) async throws(PushError) -> Challenge {
        let provider = try core.provider(id.enrollment.provider)
        let found = try await core.ledger.announced(id)
        switch found.row.state {
        case .over: throw core.over(id)
        case .answered:
            if provider.capabilities.contains(.singleUseContext) { throw core.over(id) }
        case .open, .decided: break
        }
        let account = try await core.account(id.enrollment)
        let made: Opened
        do throws(PushError) {
            made = try await provider.resolver.challenge(for: found.announcement, of: account)
        } catch {
            await closeWhatEnds(id, error)
            throw error
        }
        let now = try await noting(made.context, in: found)
        let credential = await core.environment.accounts(for: id.enrollment.provider)
            .known(id.enrollment)
        opened[id] = now.flatMap {
            $0.row.state == .open ? OpenedRow(found: $0, credential: credential) : nil
        }
        return made.challenge.limited(by: core.configuration.profile)
    }

    /// What announced a challenge that a door may open: it waits for an answer, or for the user to
    /// make the same answer again.
    ///
    /// - Throws: ``PushError`` with the code `over` if it is over or answered, or its answer is on the
    ///   way.
    func openable(_ id: Challenge.ID) async throws(PushError) -> Announcement {
        let found = try await core.ledger.announced(id)
        switch found.row.state {
        case .open: return found.announcement
        // Bytes that weren't kept can't go out without the user.
        case .decided where found.row.decided?.bytes == nil: return found.announcement
        case .decided, .answered, .over: throw core.over(id)
        }
    }

    /// A challenge's row as it was when the user opened it, if it still is at hand.
    func takeOpened(_ id: Challenge.ID) -> OpenedRow? { opened.remove(id) }

    /// A row with what its provider keeps of the challenge from now on; `nil` if what stands in it now
    /// isn't known.
    private func noting(
        _ context: Secret?, in found: AnnouncedRow
    ) async throws(PushError) -> AnnouncedRow? {
        guard let context,
            !context.isEqualInConstantTime(to: found.announcement.context)
        else { return found }
        let inHand = try await core.ledger.note(found.row.id, context, from: found.inHand)
        return inHand.flatMap(AnnouncedRow.init)
    }

    // MARK: Closing

    /// Closes a challenge, and tells of it if that is news.
    func close(_ withdrawal: Withdrawal) async throws(PushError) -> Reception {
        await core.published(.over(withdrawal), isNew: try await closeQuietly(withdrawal))
    }

    /// Closes a challenge.
    ///
    /// - Returns: Whether that is news.
    func closeQuietly(_ withdrawal: Withdrawal) async throws(PushError) -> Bool {
        let isNew = try await core.ledger.close(
            withdrawal, isSingleUse: try core.hasSingleUseContext(withdrawal.id))
        open.remove(withdrawal.id)
        return isNew
    }

    /// Closes a challenge that a vendor's list lacks, unless the user has decided it, or its push has
    /// only just come.
    func closeUnlisted(_ withdrawal: Withdrawal) async throws(PushError) -> [Reception] {
        let isNew = try await core.ledger.unlist(
            withdrawal, isSingleUse: try core.hasSingleUseContext(withdrawal.id))
        guard let isNew else { return [] }
        open.remove(withdrawal.id)
        return isNew ? [await core.published(.over(withdrawal), isNew: true)] : []
    }

    /// Closes a challenge if its vendor says that it is over.
    func closeIfOver(_ announcement: Announcement) async throws(PushError) -> [Reception] {
        let id = announcement.notice.id
        let account = try await core.account(id.enrollment)
        let status = try await core.resolver(of: id).status(
            for: announcement, of: account, kept: nil)
        switch status {
        case .over(let outcome, _): return [try await close(Withdrawal(id, outcome.reason))]
        case .unlisted: return try await closeUnlisted(Withdrawal(id, .unknown))
        case .open, .unknown: return []
        }
    }

    /// Closes what a provider's error says is over: the challenge, or, if the vendor no longer knows
    /// the enrollment, all that is open of it.
    ///
    /// What can't be closed is reported: the vendor's own error is the one to throw.
    func closeWhatEnds(_ id: Challenge.ID, _ error: PushError) async {
        if let reason = error.ends {
            do throws(PushError) {
                _ = try await close(Withdrawal(id, reason))
            } catch {
                await reportUnclosed(id.enrollment, error)
            }
        } else if error.code == .unknownEnrollment {
            await closeAll(of: id.enrollment)
        }
    }

    /// Closes all that is open of an enrollment that its vendor no longer knows; what can't be closed
    /// is reported.
    func closeAll(of enrollment: Enrollment.ID) async {
        do throws(PushError) {
            for row in try await core.unfinished(of: enrollment) where row.state == .open {
                _ = try await close(Withdrawal(row.id, .cancelled))
            }
        } catch {
            await reportUnclosed(enrollment, error)
        }
    }

    private func reportUnclosed(_ enrollment: Enrollment.ID, _ error: PushError) async {
        await core.report(
            error.attributed(to: enrollment.provider), "What a vendor ended couldn't be closed.")
    }

    // MARK: What is open

    /// Learns what a message made of a row.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - isRenewed: Whether the message changed what is on record of a challenge that was known: no
    ///     answer starts from what stood there before.
    func note(_ row: LedgerRow, isRenewed: Bool) {
        if isRenewed { opened[row.id] = nil }
        open.note(row)
    }

    /// Learns that a challenge was decided, or opened again by the vendor's word.
    func note(_ id: Challenge.ID, isOpen: Bool) {
        // The next answer starts from what is on record now.
        opened[id] = nil
        if isOpen { open.insert(id) } else { open.remove(id) }
    }

    /// Learns from all rows of the ledger that aren't finished, and from others.
    func survey(_ rows: [LedgerRow]) { open.survey(rows) }

    /// The same from the index of what isn't finished.
    func survey(open ids: [Challenge.ID]) { open.survey(open: ids) }

    /// The open challenges of an enrollment that a complete list lacks and whose turn it is to be asked
    /// about.
    func next(
        of id: Enrollment.ID, besides listed: Set<Challenge.ID>, most count: Int
    ) async throws(PushError) -> [Challenge.ID] {
        try await surveyOnce()
        return open.next(of: id, besides: listed, most: count)
    }

    /// The open challenges of an enrollment, in a defined order.
    func known(of id: Enrollment.ID) async throws(PushError) -> [Challenge.ID] {
        try await surveyOnce()
        return open[id]
    }

    private func surveyOnce() async throws(PushError) {
        guard !open.hasSurveyed else { return }
        if core.ledger.isIndexed {
            open.survey(open: try await core.ledger.index.entries().compactMap(\.openChallenge))
        } else {
            open.survey(try await core.unfinished())
        }
    }

    /// Whether any of an enrollment's is open.
    func hasOpen(_ id: Enrollment.ID) -> Bool { open.has(id) }

    /// Forgets an enrollment that is gone.
    func forget(_ id: Enrollment.ID) { open.removeAll(of: id) }
}

/// A challenge's row as it was when the user opened it.
struct OpenedRow: Sendable {
    let found: AnnouncedRow

    /// The credential that opened it, where reading it again would be a trip.
    let credential: KnownRecord?
}

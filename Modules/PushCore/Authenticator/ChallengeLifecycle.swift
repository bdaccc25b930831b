#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Opens challenges and closes them, and keeps what of them is at hand in this process.
actor ChallengeLifecycle {
    private let core: AuthenticatorCore

    /// The challenges that are open, as far as this process has seen: how often a vendor is polled
    /// goes by it. The documents judge.
    private var open: [Enrollment.ID: Set<Challenge.ID>] = [:]

    /// Whom each enrollment's vendor was asked about last.
    private var lastAsked: [Enrollment.ID: String] = [:]

    /// The documents of challenges that were opened, for their answer to start from.
    private var opened = Cache<Challenge.ID, DocumentInHand>()

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    // MARK: Opening

    /// Opens a challenge, in its enrollment's turn: `over` also if it was answered and its provider
    /// forgets what opens it.
    func opened(_ id: Challenge.ID, in hand: DocumentInHand) async throws(PushError) -> Challenge {
        let provider = try core.provider(id.enrollment.provider)
        let found = try await core.announced(id, in: hand)
        switch found.row.state {
        case .over: throw core.over(id)
        case .answered:
            if provider.capabilities.contains(.singleUseContext) { throw core.over(id) }
        case .open, .decided: break
        }
        var announcement = found.announcement
        let challenge: Challenge
        do throws(PushError) {
            challenge = try await provider.resolver.challenge(
                for: &announcement, of: try hand.account())
        } catch {
            await closeWhatEnds(id, error, in: hand)
            throw error
        }
        if let context = announcement.renewed {
            _ = try await core.change(id, in: hand) { row, _ in row.note(context) }
        }
        // An answer that is made again starts from what is on record then.
        opened[id] = found.row.state == .open ? hand.forLater : nil
        return challenge.limited(by: core.configuration.profile)
    }

    /// What announced a challenge that a door may open: it waits for an answer, or for the user to
    /// make the same answer again.
    func openable(
        _ id: Challenge.ID, in hand: DocumentInHand
    ) async throws(PushError) -> Announcement {
        let found = try await core.announced(id, in: hand)
        switch found.row.state {
        case .open: return found.announcement
        // Bytes that weren't kept can't go out without the user.
        case .decided where found.row.decided?.bytes == nil: return found.announcement
        case .decided, .answered, .over: throw core.over(id)
        }
    }

    /// A challenge's document as it was when the user opened it, if it still is at hand.
    func takeOpened(_ id: Challenge.ID) -> DocumentInHand? { opened.remove(id) }

    // MARK: Closing

    /// Closes a challenge, and tells of it if that is news.
    func close(
        _ withdrawal: Withdrawal, in hand: DocumentInHand
    ) async throws(PushError) -> Reception {
        let isNew = try await closeQuietly(withdrawal, in: hand)
        return await core.published(.over(withdrawal), isNew: isNew)
    }

    /// Closes a challenge, and leaves it to the caller to tell of it: whether that is news.
    func closeQuietly(
        _ withdrawal: Withdrawal, in hand: DocumentInHand
    ) async throws(PushError) -> Bool {
        let isNew = try await core.change(hand) { (document, rules) throws(PushError) in
            try document.close(withdrawal, by: rules)
        }
        note(withdrawal.id, isOpen: false)
        return isNew
    }

    /// Closes challenges that a vendor's list lacks, unless the user has decided them, or their pushes
    /// have only just come.
    func closeUnlisted(
        _ withdrawals: [Withdrawal], in hand: DocumentInHand
    ) async throws(PushError) -> [Reception] {
        guard !withdrawals.isEmpty else { return [] }
        let closed = try await core.change(hand) { (document, rules) in
            withdrawals.filter { withdrawal in
                let change = try? document.change(withdrawal.id, by: rules) { row in
                    row.unlist(withdrawal, at: rules.now, isSingleUse: rules.isSingleUse)
                }
                return change?.value == true
            }
        }
        return await told(closed)
    }

    private func told(_ closed: [Withdrawal]) async -> [Reception] {
        var receptions: [Reception] = []
        for withdrawal in closed {
            note(withdrawal.id, isOpen: false)
            receptions.append(await core.published(.over(withdrawal), isNew: true))
        }
        return receptions
    }

    /// Closes a challenge if its vendor says that it is over.
    func closeIfOver(
        _ announcement: Announcement, in hand: DocumentInHand
    ) async throws(PushError) -> [Reception] {
        let id = announcement.notice.id
        var announcement = announcement
        let status = try await core.resolver(of: id).status(
            for: &announcement, of: try hand.account(), kept: nil)
        switch status {
        case .over(let outcome):
            return [try await close(Withdrawal(id, outcome.reason), in: hand)]
        case .unlisted: return try await closeUnlisted([Withdrawal(id, .unknown)], in: hand)
        case .open, .unknown: return []
        }
    }

    /// Closes what a provider's error says is over: the challenge, or, if the vendor no longer knows
    /// the enrollment, all that is open of it.
    ///
    /// What can't be closed is reported: the vendor's own error is the one to throw.
    func closeWhatEnds(_ id: Challenge.ID, _ error: PushError, in hand: DocumentInHand) async {
        if let reason = error.ends {
            await core.reporting(Self.unclosed, by: id.enrollment.provider) {
                () async throws(PushError) in
                _ = try await close(Withdrawal(id, reason), in: hand)
            }
        } else if error.code == .unknownEnrollment {
            await closeAll(in: hand)
        }
    }

    /// Closes all that is open of an enrollment that its vendor no longer knows; what can't be closed
    /// is reported.
    func closeAll(in hand: DocumentInHand) async {
        do throws(PushError) {
            _ = await told(
                try await core.change(hand) { (document, rules) throws(PushError) in
                    try document.closeAll(by: rules)
                })
        } catch  where error.code == .unknownEnrollment {
            // What is gone has nothing open.
        } catch {
            core.report(error, Self.unclosed, by: hand.id.provider)
        }
    }

    private static let unclosed: StaticString = "What a vendor ended couldn't be closed."

    // MARK: What is open

    /// Learns what a message made of a row. If it changed what is on record of a challenge that was
    /// known, no answer starts from what stood there before.
    func note(_ row: LedgerRow, isRenewed: Bool) {
        if isRenewed { opened[row.id] = nil }
        mark(row.id, isOpen: row.state == .open && row.announcement != nil)
    }

    /// Learns that a challenge was decided or closed, or opened again by the vendor's word.
    func note(_ id: Challenge.ID, isOpen: Bool) {
        // The next answer starts from what is on record now.
        opened[id] = nil
        mark(id, isOpen: isOpen)
    }

    private func mark(_ id: Challenge.ID, isOpen: Bool) {
        if isOpen {
            open[id.enrollment, default: []].insert(id)
        } else {
            open[id.enrollment]?.remove(id)
        }
    }

    /// Learns what is open of an enrollment.
    func note(open ids: [Challenge.ID], of id: Enrollment.ID) { open[id] = Set(ids) }

    /// Whether any of an enrollment's is open, as far as this process knows.
    func hasOpen(_ id: Enrollment.ID) -> Bool { open[id]?.isEmpty == false }

    /// The challenges of an enrollment whose turn it is to be asked about, of all in a defined
    /// order: each gets its turn, however many others the vendor says nothing of.
    func next(of all: [Challenge.ID], most count: Int) -> [Challenge.ID] {
        guard let enrollment = all.first?.enrollment else { return [] }
        let last = lastAsked[enrollment]
        let start = last.flatMap { last in all.firstIndex { $0.name > last } } ?? 0
        let next = (all[start...] + all[..<start]).prefix(count)
        lastAsked[enrollment] = next.last?.name
        return Array(next)
    }

    /// Forgets what was at hand of an enrollment: no answer starts from what stood there before,
    /// such as from a key that is behind a guard now.
    func forgetOpened(of id: Enrollment.ID) { opened.removeAll { $0.enrollment == id } }

    /// Forgets an enrollment that is gone.
    func forget(_ id: Enrollment.ID) {
        open[id] = nil
        lastAsked[id] = nil
        forgetOpened(of: id)
    }
}

extension EnrollmentDocument {
    /// Remembers that a challenge is over, whether it was announced or not; whether that is news.
    mutating func close(
        _ withdrawal: Withdrawal, by rules: DocumentRules
    ) throws(PushError) -> Bool {
        let change = try change(withdrawal.id, by: rules) { row in
            row.withdraw(withdrawal, at: rules.now, isSingleUse: rules.isSingleUse)
        }
        return change?.value ?? false
    }

    /// Closes all that the user hasn't decided.
    mutating func closeAll(by rules: DocumentRules) throws(PushError) -> [Withdrawal] {
        var closed: [Withdrawal] = []
        for row in readRows(waiting: true).rows where row.state == .open {
            let withdrawal = Withdrawal(row.id, .cancelled)
            if try close(withdrawal, by: rules) { closed.append(withdrawal) }
        }
        return closed
    }
}

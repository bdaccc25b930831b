/// How the parts of an authenticator read and change the enrollments' documents.
extension AuthenticatorCore {
    var documents: Documents { environment.documents }

    // MARK: One

    /// An enrollment's document; `unknownEnrollment` if it isn't here.
    func hand(of id: Enrollment.ID) async throws(PushError) -> DocumentInHand {
        guard let hand = try await documents.read(id) else {
            throw .unknownEnrollment(of: id.provider)
        }
        return hand
    }

    /// A row; `nil` if the challenge was never seen, or only a trace is left of it.
    func row(_ id: Challenge.ID) async throws(PushError) -> LedgerRow? {
        guard let hand = try await documents.read(id.enrollment),
            case .row(let row) = try hand.known(id)
        else { return nil }
        return row
    }

    /// A challenge that was announced, with what a change of it may start from: `hand`, if its
    /// enrollment's document was read already. It is `notFound` if nobody has announced it, `over`
    /// if it was withdrawn before, or is over for long.
    func announced(
        _ id: Challenge.ID, in hand: DocumentInHand? = nil
    ) async throws(PushError) -> AnnouncedRow {
        let found = if let hand { hand } else { try await documents.read(id.enrollment) }
        guard let found else { throw notFound(id) }
        switch try found.known(id) {
        case .row(let row):
            guard row.isKnown else { throw notFound(id) }
            guard let announcement = row.announcement else { throw over(id) }
            return AnnouncedRow(row: row, announcement: announcement, hand: found)
        case .trace(let trace):
            throw trace.verdict == .mentioned ? notFound(id) : over(id)
        case .never: throw notFound(id)
        }
    }

    func notFound(_ id: Challenge.ID) -> PushError {
        PushError(.notFound, "There is no such challenge.", provider: id.enrollment.provider)
    }

    // MARK: Changing

    /// Changes a document (``DocumentInHand/change(_:)``), and tells of what was closed to make
    /// room.
    func change<Value>(
        _ hand: DocumentInHand,
        _ body: (inout EnrollmentDocument, DocumentRules) throws(PushError) -> Value
    ) async throws(PushError) -> Value {
        let rules = await rules(for: hand)
        let (value, closed) = try await hand.change { (document) throws(PushError) in
            let value = try body(&document, rules)
            return (value, document.closed)
        }
        await tell(closed: closed, of: hand.id)
        return value
    }

    /// Tells of what was closed to make room.
    private func tell(closed: [LedgerRow], of id: Enrollment.ID) async {
        for row in closed {
            guard let withdrawal = row.withdrawal else { continue }
            if withdrawal.reason != .expired {
                observe(
                    .challengesFull, "So many challenges wait that the oldest was closed.", of: id)
            }
            _ = await published(.over(withdrawal), isNew: true)
        }
    }

    /// Runs a function of one row, in one write of its document; `nil` if only a trace is left of
    /// the challenge.
    func change<Value>(
        _ id: Challenge.ID, in hand: DocumentInHand,
        _ body: (inout LedgerRow, DocumentRules) throws(PushError) -> Value
    ) async throws(PushError) -> EnrollmentDocument.Change<Value>? {
        try await change(hand) { (document, rules) throws(PushError) in
            try document.change(id, by: rules) { (row) throws(PushError) in try body(&row, rules) }
        }
    }

    private func rules(for hand: DocumentInHand) async -> DocumentRules {
        let clock = environment.clock
        let passed = await clock.serverTime.passed(
            for: hand.id, at: hand.enrollment.server, elapsed: clock.elapsed)
        let capabilities = registry[hand.id.provider]?.capabilities ?? []
        return DocumentRules(
            now: clock.now, passed: passed.flatMap { CompactDate($0) },
            limits: configuration.retention,
            isSingleUse: capabilities.contains(.singleUseContext),
            takesLateAnswers: capabilities.contains(.lateAnswers))
    }

    // MARK: Many

    /// The documents of all enrollments of linked plugins, or of those in which work may wait, each
    /// plugin's in the order of their names. One that can't be read is reported, and left out.
    func surveyed(waiting: Bool = false) async throws(PushError) -> [DocumentInHand] {
        let ids = try await documents.ids(waiting: waiting).filter { place(of: $0.provider) != nil }
            .inOrder { (place(of: $0.provider) ?? 0, $0.name) }
        var hands: [DocumentInHand] = []
        for (id, found) in try await documents.read(all: ids) {
            do throws(PushError) {
                hands.append(try found.get())
            } catch {
                report(unreadable: id, error)
            }
        }
        return hands
    }

    /// Tells of a document that can't be read.
    func report(unreadable id: Enrollment.ID, _ error: PushError) {
        if error.code == .malformed {
            observe(.damaged(.credential), "An enrollment's record is damaged.", of: id)
        } else {
            report(error, "An enrollment's record can't be read.", by: id.provider)
        }
    }

    /// All enrollments of all linked plugins, each plugin's oldest first. One whose record is damaged
    /// is reported, and left out.
    func enrollments() async throws(PushError) -> [Enrollment] {
        try await surveyed().map(\.enrollment)
            .inOrder { ($0.created, "") }
            .inOrder { (place(of: $0.id.provider) ?? 0, "") }
    }

    /// Where a linked plugin stands among the others.
    private func place(of provider: ProviderID) -> Double? {
        registry.ids.firstIndex(of: provider).map(Double.init)
    }

    /// The rows of a document. Those that this version can't read are reported.
    func rows(in hand: DocumentInHand, waiting: Bool = false) -> [LedgerRow] {
        let (rows, unreadable) = hand.look { $0.readRows(waiting: waiting) }
        for _ in 0..<unreadable {
            observe(.damaged(.challenge), "A challenge's row can't be read.", of: hand.id)
        }
        return rows
    }

    /// How many challenges came lately, if they are too many.
    func burst(in hand: DocumentInHand) -> Int? {
        guard let burst = configuration.bursts.burst else { return nil }
        return hand.document.bursts.current(
            at: environment.clock.now, beyond: burst.count, within: burst.window)
    }

    /// The rows of one enrollment or of all, or those that wait for the user or for the vendor's word.
    func rows(
        of enrollment: Enrollment.ID?, waiting: Bool = false
    ) async throws(PushError) -> [LedgerRow] {
        guard let enrollment else {
            return try await surveyed(waiting: waiting).flatMap { rows(in: $0, waiting: waiting) }
        }
        guard let hand = try await documents.read(enrollment) else { return [] }
        return rows(in: hand, waiting: waiting)
    }
}

extension DocumentInHand {
    func known(_ id: Challenge.ID) throws(PushError) -> EnrollmentDocument.Known {
        try look { (document) throws(PushError) in try document.known(id) }
    }

    /// The challenges that wait for the user.
    var open: [Challenge.ID] {
        look { $0.readRows(waiting: true).rows }
            .filter { $0.state == .open && $0.announcement != nil }.map(\.id)
            .inOrder(by: \.name)
    }

    /// The enrollment as its provider gets it; `movedAway` if it isn't in use here.
    func account() throws(PushError) -> Account {
        try document.requireHere()
        return Account(self)
    }
}

/// A row of a challenge that was announced, with the document that it stands in.
struct AnnouncedRow: Sendable {
    let row: LedgerRow
    let announcement: Announcement
    let hand: DocumentInHand

    var id: Challenge.ID { row.id }
}

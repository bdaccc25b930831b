import PushCore

/// What a vendor's list brings, and what its silence means.
struct ListCheck: VendorCheck {
    static let topic = "list"

    private let phone: CheckedPhone
    private let id: Enrollment.ID

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let (phone, id) = try await CheckedPhone.enrolled(at: vendor())
        let check = ListCheck(phone: phone, id: id)
        guard phone.hasList else { return await check.checkAbsent(&findings) }
        let logins = try await check.checkFound(&findings)
        try await check.checkTroubled(logins, &findings)
        try await check.checkLacking(logins, &findings)
        try await phone.searchForSecrets(&findings)
    }

    private func checkAbsent(_ findings: inout Findings) async {
        let pending = await phone.attempt { () async throws(PushError) in
            try await phone.provider.resolver.pending(
                of: try await phone.accounts.existing(id), after: nil)
        }
        findings.expect(
            (try? pending.get())?.isComplete != true,
            "a list is complete that the vendor doesn't have")
    }

    /// As many logins as may wait, whose pushes are late.
    private func checkFound(
        _ findings: inout Findings
    ) async throws(PushError) -> [SimulatedLogin] {
        let simulator = phone.fixtures.simulator
        var logins: [SimulatedLogin] = []
        while logins.count < phone.fixtures.openLogins {
            logins.append(
                try await simulator.startLogin(of: phone.fixtures.users.one, asking: .confirm))
        }
        let pushes = await simulator.takePushes()
        let first = try await phone.pending(for: id)
        findings.expect(
            first.count == logins.count,
            "a list brings \(first.count) of \(logins.count) logins that the fixtures' openLogins has "
                + "waiting")
        let rows = try await phone.authenticator.records()
        let again = try await phone.provider.resolver.pending(
            of: try await phone.accounts.existing(id), after: nil)
        for announcement in again.announcements {
            findings.expect(
                announcement.notice.id.enrollment == id,
                "a list brings what is another enrollment's")
            findings.expect(
                rows.contains { $0.notice == announcement.notice },
                "two lists say different things of one login")
        }
        findings.expect(again.isComplete, "a list that was read whole isn't complete")
        _ = try await phone.pending(for: id)
        try await phone.receive(pushes)
        findings.expect(
            try await phone.authenticator.records().count == rows.count,
            "what a list brought is another challenge when it comes again")
        return logins
    }

    /// What can't be read ends nothing.
    private func checkTroubled(
        _ logins: [SimulatedLogin], _ findings: inout Findings
    ) async throws(PushError) {
        for trouble in SpoiledNetwork.Trouble.whole {
            try await Self.spoilExchanges(by: trouble) { (exchange, trouble) throws(PushError) in
                await phone.network.spoil(exchange, by: trouble)
                _ = await phone.attempt { () async throws(PushError) in
                    try await phone.authenticator.pending(for: id)
                }
                let heard = await phone.network.heal()
                guard heard.isSpoiled else { return heard }
                phone.fixtures.clock.advance(by: .seconds(1))
                let states = try await phone.authenticator.records().map(\.state)
                findings.expect(
                    states.allSatisfy { $0 == .open },
                    "a challenge that waits is closed after \(trouble.name)")
                return heard
            }
        }
        let count = try await phone.pending(for: id).count
        findings.expect(
            count == logins.count,
            "a list brings \(count) of \(logins.count) logins after a spoiled exchange")
    }

    private func checkLacking(
        _ logins: [SimulatedLogin], _ findings: inout Findings
    ) async throws(PushError) {
        let waiting = try await phone.authenticator.records().first { $0.state == .open }
        guard let answered = waiting else { return }
        let challenge = try await phone.authenticator.challenge(answered.id)
        _ = await phone.resolve(challenge, with: .deny(.unexpected))
        _ = try await phone.pending(for: id)
        let open = try await phone.authenticator.records().filter { $0.state == .open }
        findings.expect(
            open.count == logins.count - 1,
            "what waits is closed when another is answered: expected \(logins.count - 1) open; "
                + "came \(open.count)")
        // Something must wait that the list then lacks.
        if open.isEmpty { _ = try await phone.login(of: phone.fixtures.users.one) }
        phone.fixtures.outlastLogins()
        // One reading of a server's time ends nothing; the second does.
        for _ in 0..<2 { _ = try await phone.pending(for: id) }
        findings.expect(
            try await phone.authenticator.records().allSatisfy { $0.state != .open },
            "what the list lacks stays open")
    }
}

/// What comes of a list that isn't the enrollment's own.
enum ForeignListCheck: VendorCheck {
    static let topic = "foreign list"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let (phone, one) = try await CheckedPhone.enrolled(at: vendor())
        guard phone.hasList else { return }
        let other = try await phone.enroll(phone.fixtures.users.other)
        let (simulator, users) = (phone.fixtures.simulator, phone.fixtures.users)
        _ = try await simulator.startLogin(of: users.one, asking: .confirm)
        _ = try await simulator.startLogin(of: users.other, asking: .confirm)
        _ = await simulator.takePushes()
        let resolver = phone.provider.resolver
        await phone.network.heal()
        let accounts = phone.accounts
        let theirs = try await resolver.pending(
            of: try await accounts.existing(other), after: nil
        ).announcements
        let replies = await phone.network.heal().replies
        findings.expect(
            theirs.count == 1 && theirs.allSatisfy { $0.notice.id.enrollment == other },
            "a list brings what is another enrollment's")
        await phone.network.reply(with: replies)
        let taken = await phone.attempt { () async throws(PushError) in
            try await resolver.pending(of: try await accounts.existing(one), after: nil)
        }
        await phone.network.heal()
        for announcement in (try? taken.get())?.announcements ?? [] {
            // What only TLS protects is the server's that TLS proved.
            guard announcement.notice.proof != .fetched else { continue }
            findings.note("an entry of another enrollment's list is taken")
        }
        try await checkLedger(phone, one, theirs.map(\.notice.id), replies, &findings)
    }

    /// Whatever comes of a foreign list, it's no other enrollment's, and ends nothing that waits.
    private static func checkLedger(
        _ phone: CheckedPhone, _ one: Enrollment.ID, _ theirs: [Challenge.ID],
        _ replies: [SpoiledNetwork.Reply], _ findings: inout Findings
    ) async throws(PushError) {
        let mine = try await phone.pending(for: one)
        await phone.network.reply(with: replies)
        _ = await phone.attempt { () async throws(PushError) in
            try await phone.authenticator.pending(for: one)
        }
        await phone.network.heal()
        for id in theirs {
            findings.expect(
                try await phone.authenticator.record(of: id) == nil,
                "a list brings what is another enrollment's")
        }
        for id in mine.compactMap(\.challenge) {
            findings.expect(
                try await phone.authenticator.record(of: id)?.state == .open,
                "a foreign list closes what waits")
        }
        try await phone.searchForSecrets(&findings)
    }
}

extension CheckedPhone {
    var hasList: Bool { provider.capabilities.contains(.pendingList) }

    /// What the vendor lists, apart from what that closes.
    fileprivate func pending(for id: Enrollment.ID) async throws(PushError) -> [Reception] {
        let receptions = try await authenticator.pending(for: id)
        for reception in receptions { hear("a reception", reception) }
        return receptions.filter { if case .notice = $0.kind { true } else { false } }
    }
}

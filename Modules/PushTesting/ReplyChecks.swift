import PushCore

/// What is made of a challenge, and of a question about it, by replies that say something else than the
/// server means.
struct SpoiledOpeningCheck: VendorCheck {
    static let topic = "opening with a spoiled reply"

    private let phone: CheckedPhone
    private let announcement: Announcement

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let (phone, _) = try await CheckedPhone.enrolled(at: vendor())
        for kind in SimulatedLogin.Kind.allCases {
            guard let (_, challenge) = try await phone.loginIfAny(asking: kind) else { continue }
            let check = SpoiledOpeningCheck(
                phone: phone,
                announcement: try await phone.authenticator.announcement(of: challenge.id))
            try await check.checkOpening(Demand(of: challenge), &findings)
            try await check.checkStatus(&findings)
        }
        try await phone.searchForSecrets(&findings)
    }

    private func checkOpening(
        _ demand: Demand, _ findings: inout Findings
    ) async throws(PushError) {
        try await Self.spoilReplies(of: phone) { () async throws(PushError) in
            try await phone.opened(announcement)
        } then: { opened, spoiling in
            switch opened {
            case .success(let challenge): findings.compare(challenge, demand, spoiling)
            case .failure(let error): findings.expectNoEnd(of: error, spoiling)
            }
        }
    }

    private func checkStatus(_ findings: inout Findings) async throws(PushError) {
        let resolver = phone.provider.resolver
        try await Self.spoilReplies(of: phone) { () async throws(PushError) in
            var announcement = announcement
            let account = try await phone.account(of: announcement)
            return try await resolver.status(for: &announcement, of: account, kept: nil)
        } then: { status, spoiling in
            switch status {
            case .success(.over(let outcome)):
                findings.note(
                    "what waits is said to be over with \(spoiling.summary): expected open, unknown or "
                        + "an error; came \(outcome)")
            case .success(.unlisted) where [.lacking, .unreadable].contains(spoiling.kind):
                findings.note("what waits is said to be unlisted with \(spoiling.summary)")
            case .success: break
            case .failure(let error): findings.expectNoEnd(of: error, spoiling)
            }
        }
    }
}

extension CheckedPhone {
    /// A challenge's enrollment, read anew.
    fileprivate func account(of announcement: Announcement) async throws(PushError) -> Account {
        try await accounts.existing(announcement.notice.id.enrollment)
    }

    fileprivate func opened(
        _ announcement: Announcement
    ) async throws(PushError) -> Challenge {
        var announcement = announcement
        let account = try await account(of: announcement)
        return try await provider.resolver.challenge(for: &announcement, of: account)
    }
}

/// What comes of lists that say something else than the server means.
enum SpoiledListCheck: VendorCheck {
    static let topic = "list with a spoiled reply"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let (phone, id) = try await CheckedPhone.enrolled(at: vendor())
        guard phone.hasList else { return }
        let resolver = phone.provider.resolver
        for kind in SimulatedLogin.Kind.allCases {
            guard let (_, challenge) = try await phone.loginIfAny(asking: kind) else { continue }
            let list = ListReading(phone: phone, demand: Demand(of: challenge))
            let whole = try await resolver.pending(
                of: try await phone.accounts.existing(id), after: nil)
            let names = Set(whole.announcements.map(\.notice.id))
            try await spoilReplies(of: phone) { () async throws(PushError) in
                try await resolver.pending(of: try await phone.accounts.existing(id), after: nil)
            } then: { listed, spoiling in
                switch listed {
                case .success(let pending): await list.judge(pending, names, spoiling, &findings)
                case .failure(let error): findings.expectNoEnd(of: error, spoiling)
                }
            }
        }
        try await phone.searchForSecrets(&findings)
    }
}

/// One login's list, read with one change after the other.
private struct ListReading {
    let phone: CheckedPhone
    let demand: Demand

    func judge(
        _ pending: Pending, _ names: Set<Challenge.ID>, _ spoiling: SpoiledNetwork.Spoiling,
        _ findings: inout Findings
    ) async {
        let found = Set(pending.announcements.map(\.notice.id))
        if [.lacking, .unreadable].contains(spoiling.kind), pending.isComplete,
            !names.isSubset(of: found)
        {
            findings.note(
                "a list is complete with \(spoiling.summary): expected \(names.count) that wait, an "
                    + "incomplete list or an error; came \(found.count)")
        }
        if spoiling.kind != .reworded, !found.isSubset(of: names) {
            findings.note("a list brings what nobody began with \(spoiling.summary)")
        }
        for announcement in pending.announcements {
            let opened = await phone.attempt { () async throws(PushError) in
                try await phone.opened(announcement)
            }
            guard case .success(let challenge) = opened else { continue }
            findings.compare(challenge, demand, spoiling)
        }
    }
}

extension VendorCheck {
    /// Asks again and again, each time with one exchange spoiled, or one reply changed. A yes that is made
    /// a no is the server's other word, so nothing is judged of it.
    fileprivate static func spoilReplies<Value: Sendable>(
        of phone: CheckedPhone, _ question: () async throws(PushError) -> Value,
        then judge: (Result<Value, PushError>, SpoiledNetwork.Spoiling) async -> Void
    ) async throws(PushError) {
        func trial(
            _ exchange: Int, _ trouble: SpoiledNetwork.Trouble
        ) async throws(PushError) -> SpoiledNetwork.Heard {
            await phone.network.spoil(exchange, by: trouble)
            let answer = await phone.attempt(question)
            let heard = await phone.network.heal()
            if let spoiling = heard.spoiling, spoiling.kind != .reversed {
                await judge(answer, spoiling)
            }
            return heard
        }
        for trouble in SpoiledNetwork.Trouble.whole {
            try await spoilExchanges(by: trouble, trial)
        }
        try await changeReplies(trial)
    }
}

extension Findings {
    /// A change that nobody understands makes no yes easier.
    fileprivate mutating func compare(
        _ challenge: Challenge, _ demand: Demand, _ spoiling: SpoiledNetwork.Spoiling
    ) {
        let changed = Demand(of: challenge)
        // What lacks may mean its default.
        let isBelow = [.reworded, .unreadable].contains(spoiling.kind) && changed.isBelow(demand)
        expect(
            !isBelow && !changed.hasEasierPrompt(than: demand),
            "a yes is easier with \(spoiling.summary): expected \(demand); came \(changed)")
    }

    /// No word of the vendor's, no end.
    fileprivate mutating func expectNoEnd(of error: PushError, _ spoiling: SpoiledNetwork.Spoiling)
    {
        expect(
            error.ends == nil && error.code != .unknownEnrollment,
            "what waits is over with \(spoiling.summary): expected an error that ends nothing; came "
                + "\(error.code)")
    }
}

/// What becomes of a number that isn't the login page's.
enum WrongNumberCheck: VendorCheck {
    static let topic = "wrong number"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let (phone, _) = try await CheckedPhone.enrolled(at: vendor())
        guard let (login, challenge) = try await phone.loginIfAny(asking: .number),
            let right = login.shown, let wrong = challenge.prompt.wrong(insteadOf: right)
        else { return }
        let said = await phone.resolve(challenge, with: wrong)
        let waits = try await phone.fixtures.simulator.status(of: login.id) == .waiting
        let state = try await phone.authenticator.record(of: challenge.id)?.state
        findings.expect(
            waits == (state == .open),
            "a wrong number: expected a challenge that \(waits ? "is open again" : "is over"), as the "
                + "login \(waits ? "waits" : "doesn't wait"); came \(said), and the challenge is "
                + "\(state.map { "\($0)" } ?? "forgotten")")
        if waits, state == .open {
            // Of a few numbers a guess is soon right, so a provider may take only a no then.
            let again = try await phone.authenticator.challenge(challenge.id)
            let isYes = if case .denyOnly = again.prompt { false } else { true }
            _ = await phone.resolve(
                again, with: phone.resolution(isYes: isYes, login, again.prompt))
            findings.expect(
                try await phone.isTaken(login, isYes: isYes),
                "the right number after a wrong one isn't taken, or a no where only that is asked for"
            )
        }
        try await phone.searchForSecrets(&findings)
    }
}

extension Challenge.Prompt {
    fileprivate func wrong(insteadOf right: String) -> Resolution? {
        switch self {
        case .choose(let options): options.first { $0 != right }.map { .choose($0) }
        case .enter:
            .enter(right.hasSuffix("0") ? right.dropLast() + "1" : right.dropLast() + "0")
        case .approve, .denyOnly: nil
        }
    }
}

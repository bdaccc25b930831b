import PushCore

/// What becomes of answers that arrive, once or again.
enum AnswerCheck: VendorCheck {
    static let topic = "answer"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        let (phone, _) = try await CheckedPhone.enrolled(at: vendor())
        for isYes in [true, false] {
            try await checkOnce(phone, isYes, &findings)
            try await checkRepeat(phone, isYes, &findings)
        }
        try await checkDemands(phone, &findings)
        try await phone.searchForSecrets(&findings)
    }

    /// What a login page asks of the user is asked.
    private static func checkDemands(
        _ phone: CheckedPhone, _ findings: inout Findings
    ) async throws(PushError) {
        if let (_, challenge) = try await phone.loginIfAny(asking: .biometry) {
            findings.expect(
                Demand(of: challenge).wantsProof || !challenge.prompt.hasYes,
                "a yes that wants biometry is asked without a proof: expected a verification; came "
                    + "\(challenge.verification)")
        }
        if let (login, challenge) = try await phone.loginIfAny(asking: .number), login.shown != nil
        {
            findings.expect(
                challenge.prompt != .approve,
                "a yes that wants a number is asked without one: expected choose, enter or "
                    + "denyOnly; came approve"
            )
        }
    }

    private static func checkOnce(
        _ phone: CheckedPhone, _ isYes: Bool, _ findings: inout Findings
    ) async throws(PushError) {
        let what = isYes ? "a yes" : "a no"
        let (login, challenge) = try await phone.login(of: phone.fixtures.users.one)
        let resolution = phone.resolution(isYes: isYes, login, challenge.prompt)
        let outcome = await phone.resolve(challenge, with: resolution)
        findings.expect(
            (try? outcome.get()) == .delivered, "\(what) isn't said to be delivered: \(outcome)")
        findings.expect(
            try await phone.isTaken(login, isYes: isYes), "the server doesn't have \(what)")
    }

    /// A copy, as the core sends one where it can't know what became of the first.
    private static func checkRepeat(
        _ phone: CheckedPhone, _ isYes: Bool, _ findings: inout Findings
    ) async throws(PushError) {
        let (login, challenge) = try await phone.login(of: phone.fixtures.users.one)
        let resolution = phone.resolution(isYes: isYes, login, challenge.prompt)
        var announcement = try await phone.authenticator.announcement(of: challenge.id)
        let resolver = phone.provider.resolver
        let asked = VerificationRequest(
            .answer(challenge, resolution),
            alternatives: resolution.isDenial ? [] : challenge.verification)
        let evidence = try await ScriptedVerifier.willing(pin: phone.fixtures.pin).verify(asked)
        let account = try await phone.accounts.existing(challenge.id.enrollment)
        let signing = try await resolver.prepare(
            Decision(
                announcement, resolution, challenge: challenge, evidence: evidence, extras: nil),
            of: account)
        let answer = try await account.signed(signing)
        findings.expect(
            try await phone.fixtures.simulator.status(of: login.id) == .waiting,
            "an answer is sent while it's prepared")
        phone.hear("an answer", answer)
        let first = try await resolver.send(
            answer, for: &announcement, of: account, again: false)
        findings.expect(first == .delivered, "an answer isn't taken: \(first)")
        let again = await phone.attempt { () async throws(PushError) in
            try await resolver.send(answer, for: &announcement, of: account, again: true)
        }
        switch again {
        case .success(let outcome):
            findings.expect(
                !outcome.deniesDelivery,
                "a copy of an answer that was taken is said to be \(outcome)")
        case .failure(let error):
            findings.expect(
                error.ends == nil, "a copy of an answer that was taken ends its challenge")
        }
        findings.expect(
            try await phone.isTaken(login, isYes: isYes), "a copy of an answer changes what it says"
        )
    }
}

/// What becomes of answers of which an exchange went wrong.
enum TroubledAnswerCheck: VendorCheck {
    static let topic = "answer with a spoiled exchange"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        for trouble in SpoiledNetwork.Trouble.whole {
            let (phone, _) = try await CheckedPhone.enrolled(at: vendor())
            for isYes in [true, false] {
                try await spoilExchanges(by: trouble) { (exchange, trouble) throws(PushError) in
                    try await TroubledAnswer(phone, trouble, isYes).check(at: exchange, &findings)
                }
            }
            try await phone.searchForSecrets(&findings)
        }
    }
}

/// What becomes of answers to which the server says something else than it means.
enum ChangedAnswerCheck: VendorCheck {
    static let topic = "answer with a changed reply"

    static func run(
        _ vendor: MakeVendor, _ findings: inout Findings
    ) async throws(PushError) {
        for isYes in [true, false] {
            let (phone, _) = try await CheckedPhone.enrolled(at: vendor())
            try await changeReplies { (exchange, trouble) throws(PushError) in
                try await TroubledAnswer(phone, trouble, isYes).check(at: exchange, &findings)
            }
            try await phone.searchForSecrets(&findings)
        }
    }
}

private struct TroubledAnswer {
    let phone: CheckedPhone
    let trouble: SpoiledNetwork.Trouble
    let isYes: Bool

    init(_ phone: CheckedPhone, _ trouble: SpoiledNetwork.Trouble, _ isYes: Bool) {
        (self.phone, self.trouble, self.isYes) = (phone, trouble, isYes)
    }

    func check(
        at exchange: Int, _ findings: inout Findings
    ) async throws(PushError) -> SpoiledNetwork.Heard {
        let (login, challenge) = try await phone.login(of: phone.fixtures.users.one)
        let resolution = phone.resolution(isYes: isYes, login, challenge.prompt)
        await phone.network.spoil(exchange, by: trouble)
        let said = await phone.resolve(challenge, with: resolution)
        let heard = await phone.network.heal()
        let wasTaken = try await phone.isTaken(login, isYes: isYes)
        let kind = heard.spoiling?.kind
        // No where a yes stood is the server's other word. Another text before the answer may be what the
        // answer is then made with.
        guard kind != .reversed, kind != .reworded || wasTaken else {
            // If it waits still, it's in the next one's way.
            if try await phone.fixtures.simulator.status(of: login.id) == .waiting {
                phone.fixtures.outlastLogins()
            }
            return heard
        }
        let what =
            "\(isYes ? "a yes" : "a no") after \(heard.spoiling?.summary ?? "nothing was spoiled")"
        judge(said, what, wasTaken: wasTaken, &findings)
        for _ in 0..<4 where heard.isSpoiled {
            try await startAgain(challenge.id, resolution)
            guard try await !isSettled(login, challenge.id) else { break }
        }
        try await judgeEnd(login, challenge.id, what, &findings)
        return heard
    }

    private func judge(
        _ said: Result<Outcome, PushError>, _ what: String, wasTaken: Bool,
        _ findings: inout Findings
    ) {
        switch said {
        case .success(.delivered):
            findings.expect(wasTaken, "\(what) is said to be delivered, and isn't")
        case .success(let outcome):
            findings.expect(!outcome.deniesDelivery, "\(what) is said to be \(outcome)")
            findings.expect(
                wasTaken || outcome != .ended, "\(what): a challenge that waits is said to be over")
        case .failure(let error):
            findings.expect(
                error.ends == nil && error.code != .over,
                "\(what): a challenge that waits is said to be over")
        }
    }

    /// What an app does at its next start, and the user where only the user can.
    private func startAgain(_ id: Challenge.ID, _ resolution: Resolution) async throws(PushError) {
        phone.fixtures.clock.advance(by: .seconds(20))
        _ = try await phone.authenticator.resume()
        guard case .decided? = try await phone.authenticator.record(of: id)?.state else { return }
        _ = await phone.attempt { () async throws(PushError) in
            let challenge = try await phone.authenticator.challenge(id)
            return try await phone.authenticator.resolve(challenge, with: resolution)
        }
    }

    private func isSettled(
        _ login: SimulatedLogin, _ id: Challenge.ID
    ) async throws(PushError) -> Bool {
        guard case .answered? = try await phone.authenticator.record(of: id)?.state else {
            return false
        }
        return try await phone.isTaken(login, isYes: isYes)
    }

    private func judgeEnd(
        _ login: SimulatedLogin, _ id: Challenge.ID, _ what: String, _ findings: inout Findings
    ) async throws(PushError) {
        findings.expect(
            try await phone.isTaken(login, isYes: isYes), "\(what) is never delivered")
        switch try await phone.authenticator.record(of: id)?.state {
        case .answered(_, let outcome)?:
            findings.expect(!outcome.deniesDelivery, "\(what) ends as \(outcome)")
        case .decided?: break
        case .open?: findings.note("\(what): its challenge is open again")
        case .over(let withdrawal)?:
            findings.note("\(what): its challenge is over, \(withdrawal.reason)")
        case nil: findings.note("\(what): its challenge is forgotten")
        @unknown default: findings.note("\(what): its challenge is in an unknown state")
        }
    }
}

extension Outcome {
    /// Whether it says that the vendor doesn't have the user's decision from this device.
    fileprivate var deniesDelivery: Bool {
        switch self {
        case .notTaken, .expired, .answeredElsewhere, .cancelled: true
        case .delivered, .code, .ended, .verifyAgain, .unknown: false
        }
    }
}

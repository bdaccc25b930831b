import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The password proper: only the server can tell whether it is right
/// (`docs/vendors/onespan.md#the-flow`, step 6).
@Suite(.timeLimit(.minutes(10))) struct PINTests {
    private static func left(_ result: Result<Outcome, PushError>) -> (Int?, Bool)? {
        switch result {
        case .success(.notTaken(let refusal)) where refusal.reason == .verification:
            (refusal.attemptsLeft, refusal.mayRetry)
        case .failure(let error):
            if case .notTaken(let refusal) = error.code, refusal.reason == .verification {
                (refusal.attemptsLeft, refusal.mayRetry)
            } else {
                nil
            }
        default: nil
        }
    }

    private func answer(
        _ challenge: Challenge, at handset: OneSpanHarness
    ) async -> Result<Outcome, PushError> {
        await Result { () async throws(PushError) in
            try await handset.authenticator.resolve(challenge, with: .approve)
        }
    }

    @Test(arguments: [false, true])
    func `a wrong PIN is the server's verdict, and may be tried again`(
        isTransaction: Bool
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request =
            isTransaction ? try await site.transaction() : try await site.pinLogin()
        let challenge = try await handset.open(request)
        await handset.user.type(Sample.wrongPIN)
        for attempt in 1...2 {
            let left = try #require(Self.left(await answer(challenge, at: handset)))
            #expect(left.1)
            #expect((1...4).contains(left.0 ?? -1))
            #expect(await site.server.types.count == 1 + attempt)
            #expect(await site.status(request) == .pending)
        }
        await handset.user.type(Sample.pin)
        #expect(try await answer(challenge, at: handset).get() == .delivered)
        let answers = await site.server.commands(isTransaction ? 0x33 : 0x23)
        #expect(answers.count == 3)
        #expect(Set(answers.map(\.flow)).count == 1)
        #expect(Set(answers.map(\.counter)).count == 3)
    }

    @Test func `three wrong ones end the session, and nothing more is sent`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        await handset.user.type(Sample.wrongPIN)
        for _ in 0..<2 { _ = await answer(challenge, at: handset) }
        let last = await answer(challenge, at: handset)
        #expect(Self.left(last)?.1 != true)
        if case .success(let outcome) = last { #expect(outcome != .delivered) }
        #expect(await site.status(request) == .failed)
        await handset.user.type(Sample.pin)
        _ = await answer(challenge, at: handset)
        #expect(await site.server.commands(0x23).count == 3)
        #expect(await site.status(request) == .failed)
    }

    @Test func `five in a row lock the user, over any number of sessions`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        await handset.user.type(Sample.wrongPIN)
        for attempts in [3, 2] {
            let challenge = try await handset.open(site.pinLogin())
            for _ in 0..<attempts { _ = await answer(challenge, at: handset) }
        }
        #expect(await site.tenant.isLocked(Sample.user))
        #expect(await site.server.commands(0x23).count == 5)
        try await site.tenant.unlock(Sample.user)
        await handset.user.type(Sample.pin)
        _ = try await handset.pushes()
        #expect(try await handset.approve(site.pinLogin()) == .delivered)
    }

    @Test func `an answer of a locked user is refused, and told`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        try await site.tenant.lock(Sample.user)
        let result = await answer(challenge, at: handset)
        switch result {
        case .success(let outcome):
            guard case .notTaken = outcome else {
                Issue.record("A sealed refusal is the server's word: \(outcome)")
                return
            }
        case .failure(let error): #expect(error.oneSpan == .userLocked)
        }
        #expect(try await handset.authenticator.resume().isEmpty)
        #expect(await site.server.commands(0x23).count == 1)
    }

    @Test(arguments: ["", "1"])
    func `a password too short to be one is asked for again or refused`(pin: String)
        async throws
    {
        let site = Site()
        let handset = try await OneSpanHarness(site, user: ScriptedUser.typing(pin))
        await #expect(throws: PushError.self) { try await handset.join() }
        #expect(await site.server.types.isEmpty)
        #expect(try await handset.authenticator.enrollments().isEmpty)
    }

    @Test func `an empty PIN sends nothing`() async throws {
        let handset = try await OneSpanHarness.joined()
        let request = try await handset.site.pinLogin()
        let challenge = try await handset.open(request)
        await handset.user.type("")
        _ = await answer(challenge, at: handset)
        #expect(await handset.site.server.types == [0x21])
        await handset.user.type(Sample.pin)
        #expect(try await answer(challenge, at: handset).get() == .delivered)
    }

    @Test(arguments: ["пароль-密码", "a b c", String(repeating: "9", count: 200)])
    func `any text can be a password`(pin: String) async throws {
        let handset = try await OneSpanHarness(Site(), user: ScriptedUser.typing(pin))
        try await handset.join()
        #expect(try await handset.approve(handset.site.pinLogin()) == .delivered)
    }

    @Test func `no answer with another method than asked for is made`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let request = try await site.pinLogin()
        try await handset.receive()
        let id = try await handset.id(request)
        let announcement = try await handset.authenticator.announcement(of: id)
        let challenge = try await handset.authenticator.challenge(id)
        let account = try await handset.account()
        for evidence in [[], [Evidence.presence], [.biometry(nil)], [.deviceCredential]] {
            let result = await Result { () async throws(PushError) in
                try await handset.provider.resolver.prepare(
                    Decision(
                        announcement, .approve, challenge: challenge, evidence: evidence,
                        extras: nil), of: account)
            }
            if case .success = result { Issue.record("It was made with \(evidence.count).") }
        }
        #expect(await site.status(request) == .pending)
    }

    @Test(arguments: [Resolution.choose("12"), .enter("12")])
    func `a login can be approved or denied, nothing else`(resolution: Resolution)
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let challenge = try await handset.open(handset.site.login())
        let error = try await refusal {
            _ = try await handset.authenticator.resolve(challenge, with: resolution)
        }
        #expect(error.code == .invalidResolution)
        #expect(await handset.site.server.types == [0x21])
    }
}

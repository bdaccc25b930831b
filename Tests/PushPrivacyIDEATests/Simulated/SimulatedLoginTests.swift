import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Logins from the page to the page, in every generation of the server.
@Suite struct SimulatedLoginTests {
    typealias Generation = SimulatedHarness.Generation

    @Test(arguments: Generation.allCases)
    func `a pushed login is approved, and the user is in`(generation: Generation) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(generation)
        let (login, challenge) = try await harness.opened()
        #expect(challenge.prompt == .approve)
        let details = try #require(challenge.details(as: PrivacyIDEAChallenge.self))
        #expect(details.question == "Log in as ada from 203.0.113.7?")
        // All that the server says stands in these two.
        #expect(challenge.shown.map(\.value) == [details.title, details.question])
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test(arguments: Generation.allCases)
    func `a token without pushes finds its logins by asking`(generation: Generation) async throws {
        let (harness, id) = try await SimulatedHarness.enrolled(
            generation, server: { $0.gateway = .pollOnly })
        let login = try await harness.start()
        #expect(try await harness.receive(from: harness.server).isEmpty)
        let found = try #require(try await harness.authenticator.pending(for: id).first?.challenge)
        let challenge = try await harness.authenticator.challenge(found)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
        #expect(try await harness.authenticator.pending(for: id).isEmpty)
    }

    @Test(arguments: [
        (DenyReason.unexpected, "DECLINED declined"), (.fraud, "DECLINED declined"),
        (.ignore, "DECLINED cancelled"), (.custom("maintenance"), "DECLINED declined"),
    ])
    func `each reason of a no comes to what the server makes of it`(
        reason: DenyReason, state: String
    ) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let (login, challenge) = try await harness.opened()
        let outcome = try await harness.authenticator.resolve(challenge, with: .deny(reason))
        #expect(outcome == .delivered)
        #expect(try await harness.state(login) == state)
        #expect(try await harness.status(login) == .denied)
    }

    @Test(arguments: [DenyReason.unexpected, .fraud, .ignore])
    func `an older server is told a plain no, which 3.9 forgets`(
        reason: DenyReason
    ) async throws {
        for (generation, state) in [
            (Generation.v313, "DECLINED declined"), (.v39, "REJECT pending"),
        ] {
            let (harness, id) = try await SimulatedHarness.enrolled(generation)
            let (login, challenge) = try await harness.opened()
            let outcome = try await harness.authenticator.resolve(challenge, with: .deny(reason))
            #expect(outcome == .delivered)
            #expect(try await harness.state(login) == state)
            // A recorded decision is never reopened by a list that still has it.
            _ = try await harness.authenticator.pending(for: id)
            let record = try await harness.authenticator.record(of: challenge.id)
            #expect(record?.state == .answered(.deny(reason), .delivered))
        }
    }

    // MARK: Choosing

    @Test(arguments: [
        PrivacyIDEASimulator.Presence.alphabetic(count: 5), .numeric(count: 3),
        .custom(["50%20", "50 ", "007", "½"]),
    ])
    func `the option that the page shows logs in, whatever its text`(
        presence: PrivacyIDEASimulator.Presence
    ) async throws {
        for generation in [Generation.v313, .v314] {
            let (harness, _) = try await SimulatedHarness.enrolled(
                generation, server: { $0.presence = presence })
            for _ in 0..<3 {
                let (login, challenge) = try await harness.opened(.number)
                let shown = try #require(login.shown)
                let outcome = try await harness.authenticator.resolve(
                    challenge, with: .choose(shown))
                #expect(outcome == .delivered)
                #expect(try await harness.status(login) == .approved)
            }
        }
    }

    private func wrong(_ challenge: Challenge, _ login: SimulatedLogin) throws -> String {
        guard case .choose(let options) = challenge.prompt else { return "" }
        return try #require(options.first { $0 != login.shown })
    }

    @Test(arguments: [Generation.v313, .v314])
    func `a wrong option may be followed by the right one`(generation: Generation) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(generation)
        let (login, challenge) = try await harness.opened(.number)
        let wrong = try wrong(challenge, login)
        let first = try await harness.authenticator.resolve(challenge, with: .choose(wrong))
        #expect(
            first
                == .notTaken(
                    .init(
                        .wrongChoice, mayRetry: true, attemptsLeft: 2,
                        status: 200)))
        #expect(try await harness.status(login) == .waiting)
        let shown = try #require(login.shown)
        #expect(
            try await harness.authenticator.resolve(challenge, with: .choose(shown)) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    /// A blocked user's answer gets the word for a wrong number, and a block passes.
    @Test(arguments: [Generation.v313, .v314])
    func `a repeat that isn't taken frees no number whose first copy may come yet`(
        generation: Generation
    ) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(generation)
        let (login, challenge) = try await harness.opened(.number)
        let shown = try #require(login.shown)
        await harness.faults.next(.dropBefore)
        _ = try await harness.authenticator.resolve(challenge, with: .choose(shown))
        await harness.server.setBlocked(true, user: "ada")
        _ = try await harness.authenticator.resume()
        await harness.server.setBlocked(false, user: "ada")
        // Else the attacker, whose login it is, gets in by the first copy after a delivered report.
        await #expect {
            try await harness.authenticator.resolve(challenge, with: .deny(.fraud))
        } throws: {
            ($0 as? PushError)?.code == .decidedOtherwise(.choose(shown))
        }
        _ = try await harness.authenticator.resume()
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `after three wrong options only a no is left, and it's taken`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let (login, challenge) = try await harness.opened(.number)
        let wrong = try wrong(challenge, login)
        for _ in 0..<3 {
            _ = try await harness.authenticator.resolve(challenge, with: .choose(wrong))
        }
        let again = try await harness.authenticator.challenge(challenge.id)
        guard case .denyOnly = again.prompt else {
            Issue.record("It may still be answered with \(again.prompt).")
            return
        }
        _ = try await harness.authenticator.resolve(again, with: .deny(.ignore))
        #expect(try await harness.state(login) == "DECLINED cancelled")
    }

    // MARK: Code to phone

    @Test(arguments: [Generation.v313, .v314])
    func `the code of a yes, typed into the page, logs in`(generation: Generation) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(
            generation, server: { $0.sendsCodeToPhone = true })
        let (login, challenge) = try await harness.opened()
        let outcome = try await harness.authenticator.resolve(challenge, with: .approve)
        guard case .code(let code, _) = outcome else {
            Issue.record("The outcome is \(outcome).")
            return
        }
        #expect(try await harness.status(login) == .waiting)
        #expect(try await harness.server.finish(login.id, typing: code))
    }

    @Test(arguments: [Generation.v313, .v314])
    func `a lost code is lost, and no second one is fetched`(generation: Generation) async throws {
        let (harness, _) = try await SimulatedHarness.enrolled(
            generation, server: { $0.sendsCodeToPhone = true })
        let (_, challenge) = try await harness.opened()
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.twiceResumed(challenge.id) == .ended)
        #expect(await harness.count(.answer) == 1)
    }

    // MARK: Not a login

    @Test func `a yes is taken, and only the last call finds the token disabled`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let (login, challenge) = try await harness.opened()
        let serial = try #require(await harness.server.tokens(of: "ada").first?.serial)
        await harness.server.setEnabled(false, token: serial)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .failed)
    }

    @Test func `a blocked user's answer may be given again`() async throws {
        let (harness, _) = try await SimulatedHarness.enrolled()
        let (login, challenge) = try await harness.opened()
        await harness.server.setBlocked(true, user: "ada")
        let refused = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(refused == .notTaken(.init(.other, mayRetry: true, status: 200)))
        await harness.server.setBlocked(false, user: "ada")
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.status(login) == .approved)
    }

    @Test func `what ended at the server can't be opened any more`() async throws {
        let (harness, id) = try await SimulatedHarness.enrolled()
        for end in ["late", "cancelled"] {
            let login = try await harness.start()
            let challenge = try #require(
                try await harness.receive(from: harness.server).first?.challenge)
            if end == "late" {
                harness.clock.advance(by: .seconds(121))
            } else {
                try await harness.server.cancelLogin(login.id)
                harness.clock.advance(by: .seconds(30))
            }
            let error = try await refusal {
                _ = try await harness.authenticator.challenge(challenge)
            }
            #expect(error.code == .over)
            #expect(try await harness.isOver(challenge))
        }
        #expect(try await harness.authenticator.pending(for: id).isEmpty)
    }

    @Test func `of two tokens the one that isn't asked any more is closed by its list`()
        async throws
    {
        let (harness, first) = try await SimulatedHarness.enrolled()
        let second = try await harness.enroll().id
        let login = try await harness.start()
        let receptions = try await harness.receive(from: harness.server)
        #expect(Set(receptions.compactMap(\.challenge?.enrollment)) == [first, second])
        let mine = try #require(receptions.first { $0.challenge?.enrollment == first }?.challenge)
        let others = try #require(receptions.compactMap(\.challenge).first { $0 != mine })
        let challenge = try await harness.authenticator.challenge(mine)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await !harness.isOver(others))
        #expect(try await harness.status(login) == .approved)
        harness.clock.advance(by: .seconds(30))
        _ = try await harness.authenticator.pending(for: second)
        #expect(try await harness.isOver(others))
    }
}

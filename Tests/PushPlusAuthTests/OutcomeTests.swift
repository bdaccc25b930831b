import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// What a reply to an answer means: `docs/vendors/plusauth.md#errors`.
@Suite struct OutcomeTests {
    private func challenge(
        in harness: PlusAuthHarness, isCode: Bool = false
    ) async throws -> (challenge: Challenge, yes: Resolution) {
        let key = try await harness.key()
        return isCode
            ? (try await harness.challenge(.code(key)), .choose("07"))
            : (try await harness.challenge(ContextJWT(key)), .approve)
    }

    @Test(arguments: [200, 201, 204], ["", "{}", "[]"])
    func `a success with JSON or nothing means that it was taken`(status: Int, body: String)
        async throws
    {
        for isCode in [false, true] {
            let harness = try await PlusAuthHarness.enrolled()
            let (challenge, yes) = try await challenge(in: harness, isCode: isCode)
            await harness.server.reply(.init(status: status, body: body))
            #expect(try await harness.authenticator.resolve(challenge, with: yes) == .delivered)
            let state = try await harness.authenticator.record(of: challenge.id)?.state
            #expect(state == .answered(yes, .delivered))
        }
    }

    @Test(
        arguments: [
            (401, .answeredElsewhere), (404, .expired), (409, .answeredElsewhere),
        ] as [(Int, Outcome)])
    func `a first try can hear that the challenge is over`(status: Int, outcome: Outcome)
        async throws
    {
        for isCode in [false, true] {
            let harness = try await PlusAuthHarness.enrolled()
            let (challenge, yes) = try await challenge(in: harness, isCode: isCode)
            await harness.server.refuse(status)
            #expect(try await harness.authenticator.resolve(challenge, with: yes) == outcome)
            #expect(await harness.answers().count == 1)
            #expect(try await harness.authenticator.resume().isEmpty)
        }
    }

    @Test(arguments: [400, 422])
    func `a refused answer is refused for good`(status: Int) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness, isCode: true)
        await harness.server.refuse(status)
        let outcome = try await harness.authenticator.resolve(challenge, with: yes)
        #expect(outcome == .notTaken(.init(.other, mayRetry: false, status: status)))
        #expect(try await harness.authenticator.resume().isEmpty)
        #expect(await harness.answers().count == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is no success, and takes the bearer nowhere`(status: Int) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness)
        await harness.server.reply(
            .init(status: status, fields: ["Location": "https://evil.example/resolve"]))
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: yes)
        }
        #expect(error.code == .server(status: status))
        #expect(await harness.answers().map(\.url) == [WorkedExample.resolve])
    }

    // MARK: Retries

    @Test(arguments: [429, 500, 502, 503, 504])
    func `trouble at the server leaves the outcome unknown, and the same answer is sent again`(
        status: Int
    ) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness, isCode: true)
        await harness.server.reply(status, status)
        guard case .unknown = try await harness.authenticator.resolve(challenge, with: yes),
            case .unknown? = try await harness.authenticator.resume()[challenge.id]
        else {
            Issue.record("Nobody knows what \(status) means for the answer.")
            return
        }
        #expect(try await harness.authenticator.resume() == [challenge.id: .delivered])
        let answers = await harness.answers()
        #expect(answers.count == 3)
        #expect(Set(answers.map(\.body)).count == 1)
        #expect(Set(try answers.map { try $0.field("Authorization") }) == ["Bearer ctx-0001"])
        #expect(try await harness.authenticator.resume().isEmpty)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .dropAfter])
    func `a broken connection leaves it unknown, and another process sends the same answer`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness)
        await harness.faults.next(fault)
        guard case .unknown = try await harness.authenticator.resolve(challenge, with: yes) else {
            Issue.record("A lost reply is no word of the server.")
            return
        }
        let later = try PlusAuthHarness(sharing: harness)
        #expect(try await later.authenticator.resume() == [challenge.id: .delivered])
        let answer = try await later.lastAnswer()
        _ = try await answer.answer(by: harness.key())
        for earlier in await harness.answers() { #expect(earlier.body == answer.body) }
    }

    @Test func `the app needn't do anything: it's tried again by itself`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness)
        await harness.server.reply(500)
        let updates = await harness.authenticator.updates()
        _ = try await harness.authenticator.resolve(challenge, with: yes)
        // The clock moves whenever someone waits for it.
        let ticking = harness.clock.ticking(by: .seconds(1))
        defer { ticking.cancel() }
        for await update in updates {
            if case .outcome(challenge.id, .delivered) = update { break }
        }
        #expect(Set(await harness.answers().map(\.body)).count == 1)
        #expect(await harness.answers().count == 2)
    }

    @Test func `a server that asks to wait is left alone as long`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness)
        await harness.server.reply(
            .init(status: 429, fields: ["Retry-After": "40"]))
        _ = try await harness.authenticator.resolve(challenge, with: yes)
        harness.clock.advance(by: .seconds(20))
        _ = try await harness.authenticator.resume()
        #expect(await harness.answers().count == 1)
        harness.clock.advance(by: .seconds(21))
        _ = try await harness.authenticator.resume()
        #expect(await harness.answers().count == 2)
        let state = try await harness.authenticator.record(of: challenge.id)?.state
        #expect(state == .answered(yes, .delivered))
    }

    @Test(arguments: [401, 404, 409])
    func `after a lost reply, "over" may mean our own answer`(status: Int) async throws {
        for fault in [.dropAfter, .dropBefore, .status(500)] as [FaultPlan.Fault] {
            let harness = try await PlusAuthHarness.enrolled()
            let (challenge, yes) = try await challenge(in: harness)
            await harness.faults.next(fault)
            _ = try await harness.authenticator.resolve(challenge, with: yes)
            await harness.server.refuse(status)
            guard case .unknown? = try await harness.authenticator.resume()[challenge.id] else {
                Issue.record("It was probably delivered, but nobody knows.")
                return
            }
        }
    }

    @Test func `after a lost reply, a path that is gone says nothing of the first copy`()
        async throws
    {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness)
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: yes)
        await harness.server.reply(405)
        _ = try? await harness.authenticator.resume()
        #expect(try await harness.decision(on: challenge) == yes)
        #expect(try await harness.authenticator.resume() == [challenge.id: .delivered])
    }

    @Test(arguments: [400, 422])
    func `after a lost reply, a repeat that is refused says nothing of the first copy`(
        status: Int
    ) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness)
        await harness.faults.next(.dropAfter)
        _ = try await harness.authenticator.resolve(challenge, with: yes)
        await harness.server.refuse(status)
        guard case .unknown? = try await harness.authenticator.resume()[challenge.id] else {
            Issue.record("The first copy was taken.")
            return
        }
    }

    @Test(arguments: [401, 409])
    func `after a try that never arrived, "over" means another's answer`(status: Int) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness)
        await harness.faults.next(.refuse)
        _ = try await harness.authenticator.resolve(challenge, with: yes)
        await harness.server.refuse(status)
        #expect(try await harness.authenticator.resume() == [challenge.id: .answeredElsewhere])
    }

    @Test func `once the challenge has ended nothing is sent any more`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        await harness.hearTime()
        let (challenge, yes) = try await challenge(in: harness)
        await harness.server.replyAlways(500)
        _ = try await harness.authenticator.resolve(challenge, with: yes)
        let sent = await harness.answers().count
        harness.clock.advance(by: .seconds(7_200))
        guard case .unknown? = try await harness.authenticator.resume()[challenge.id] else {
            Issue.record("The server never said what became of it.")
            return
        }
        #expect(await harness.answers().count <= sent + 1)
        let last = await harness.answers().count
        #expect(try await harness.authenticator.resume().isEmpty)
        #expect(await harness.answers().count == last)
    }

    @Test func `while the outcome is unknown another answer is refused`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let (challenge, yes) = try await challenge(in: harness, isCode: true)
        await harness.server.replyAlways(503)
        _ = try await harness.authenticator.resolve(challenge, with: yes)
        for other in [.choose("83"), .deny(.fraud)] as [Resolution] {
            let error = try await refusal {
                _ = try await harness.authenticator.resolve(challenge, with: other)
            }
            #expect(error.code == .decidedOtherwise(yes))
        }
        #expect(Set(await harness.answers().map(\.body)).count == 1)
    }

    // MARK: Challenges that end

    @Test func `a challenge that ends before the user's eyes can't be answered`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        await harness.hearTime()
        let (challenge, yes) = try await challenge(in: harness)
        harness.clock.advance(by: .seconds(7_200))
        for answer in [yes, .deny(.fraud)] {
            let error = try await refusal {
                _ = try await harness.authenticator.resolve(challenge, with: answer)
            }
            #expect(error.code == .over)
        }
        #expect(await harness.answers().isEmpty)
    }

    @Test func `a duplicate is shown once, and the first stands`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        let first = ContextJWT.code(key, ["83", "07", "12"])
        let id = try await harness.challenge(first).id
        #expect(id.name == hex(sha256("ctx-0001")))
        for again in [first, .code(key, ["99", "98"]), ContextJWT(key)] {
            let reception = try #require(await harness.authenticator.receive(again.message()).first)
            #expect(!reception.isNew)
            #expect(reception.challenge == id)
            #expect(
                try await harness.authenticator.challenge(id).prompt == .choose(["83", "07", "12"]))
        }
        #expect(try await harness.authenticator.records().count == 1)
    }

    @Test func `one bearer at two accounts is two challenges`() async throws {
        let harness = try PlusAuthHarness()
        for account in ["ada", "bob"] { try await harness.enroll(.account(account)) }
        for posted in await harness.enrollments() {
            _ = try await harness.challenge(ContextJWT(posted.key()))
        }
        #expect(try await harness.authenticator.records().count == 2)
    }
}

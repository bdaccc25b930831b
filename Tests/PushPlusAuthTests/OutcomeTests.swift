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
        in world: World, isCode: Bool = false
    ) async throws -> (challenge: Challenge, yes: Resolution) {
        let key = try await world.key()
        return isCode
            ? (try await world.challenge(.code(key)), .choose("07"))
            : (try await world.challenge(ContextJWT(key)), .approve)
    }

    @Test(arguments: [200, 201, 202, 204], ["", "{}", "x"])
    func `every success means that the answer was taken`(status: Int, body: String) async throws {
        for isCode in [false, true] {
            let world = try await World.enrolled()
            let (challenge, yes) = try await challenge(in: world, isCode: isCode)
            await world.server.reply(with: .init(status: status, body: body))
            #expect(try await world.authenticator.resolve(challenge, with: yes) == .delivered)
            let state = try await world.authenticator.record(of: challenge.id)?.state
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
            let world = try await World.enrolled()
            let (challenge, yes) = try await challenge(in: world, isCode: isCode)
            await world.server.refuse(status)
            #expect(try await world.authenticator.resolve(challenge, with: yes) == outcome)
            #expect(await world.answers().count == 1)
            #expect(try await world.authenticator.resume().isEmpty)
        }
    }

    @Test(arguments: [400, 422])
    func `a refused answer is refused for good`(status: Int) async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world, isCode: true)
        await world.server.refuse(status)
        let outcome = try await world.authenticator.resolve(challenge, with: yes)
        #expect(outcome == .notTaken(.init(.other, mayRetry: false, status: status)))
        #expect(try await world.authenticator.resume().isEmpty)
        #expect(await world.answers().count == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is no success, and takes the bearer nowhere`(status: Int) async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world)
        await world.server.reply(
            with: .init(status: status, fields: ["Location": "https://evil.example/resolve"]))
        let error = try await refusal {
            _ = try await world.authenticator.resolve(challenge, with: yes)
        }
        #expect(error.code == .server(status: status))
        #expect(await world.answers().map(\.url) == [WorkedExample.resolve])
    }

    // MARK: Retries

    @Test(arguments: [429, 500, 502, 503, 504])
    func `trouble at the server leaves the outcome unknown, and the same answer is sent again`(
        status: Int
    ) async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world, isCode: true)
        await world.server.reply(status, status)
        guard case .unknown = try await world.authenticator.resolve(challenge, with: yes),
            case .unknown? = try await world.authenticator.resume()[challenge.id]
        else {
            Issue.record("Nobody knows what \(status) means for the answer.")
            return
        }
        #expect(try await world.authenticator.resume() == [challenge.id: .delivered])
        let answers = await world.answers()
        #expect(answers.count == 3)
        #expect(Set(answers.map(\.body)).count == 1)
        #expect(Set(try answers.map { try $0.field("Authorization") }) == ["Bearer ctx-0001"])
        #expect(try await world.authenticator.resume().isEmpty)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .dropAfter])
    func `a broken connection leaves it unknown, and another process sends the same answer`(
        fault: FaultPlan.Fault
    ) async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world)
        await world.faults.next(fault)
        guard case .unknown = try await world.authenticator.resolve(challenge, with: yes) else {
            Issue.record("A lost reply is no word of the server.")
            return
        }
        let later = try World(sharing: world)
        #expect(try await later.authenticator.resume() == [challenge.id: .delivered])
        let answer = try await later.lastAnswer()
        _ = try await answer.answer(by: world.key())
        for earlier in await world.answers() { #expect(earlier.body == answer.body) }
    }

    @Test func `the app needn't do anything: it's tried again by itself`() async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world)
        await world.server.reply(500)
        let updates = await world.authenticator.updates()
        _ = try await world.authenticator.resolve(challenge, with: yes)
        // The clock moves whenever someone waits for it.
        let ticking = world.clock.ticking(by: .seconds(1))
        defer { ticking.cancel() }
        for await update in updates {
            if case .outcome(challenge.id, .delivered) = update { break }
        }
        #expect(Set(await world.answers().map(\.body)).count == 1)
        #expect(await world.answers().count == 2)
    }

    @Test func `a server that asks to wait is left alone as long`() async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world)
        await world.server.reply(
            with: .init(status: 429, fields: ["Retry-After": "40"]))
        _ = try await world.authenticator.resolve(challenge, with: yes)
        world.clock.advance(by: .seconds(20))
        _ = try await world.authenticator.resume()
        #expect(await world.answers().count == 1)
        world.clock.advance(by: .seconds(21))
        _ = try await world.authenticator.resume()
        #expect(await world.answers().count == 2)
        let state = try await world.authenticator.record(of: challenge.id)?.state
        #expect(state == .answered(yes, .delivered))
    }

    @Test(arguments: [401, 404, 409])
    func `after a lost reply, "over" may mean our own answer`(status: Int) async throws {
        for fault in [.dropAfter, .dropBefore, .status(500)] as [FaultPlan.Fault] {
            let world = try await World.enrolled()
            let (challenge, yes) = try await challenge(in: world)
            await world.faults.next(fault)
            _ = try await world.authenticator.resolve(challenge, with: yes)
            await world.server.refuse(status)
            guard case .unknown? = try await world.authenticator.resume()[challenge.id] else {
                Issue.record("It was probably delivered, but nobody knows.")
                return
            }
        }
    }

    @Test func `after a lost reply, a path that is gone says nothing of the first copy`()
        async throws
    {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world)
        await world.faults.next(.dropAfter)
        _ = try await world.authenticator.resolve(challenge, with: yes)
        await world.server.reply(405)
        _ = try? await world.authenticator.resume()
        #expect(try await world.decision(on: challenge) == yes)
        #expect(try await world.authenticator.resume() == [challenge.id: .delivered])
    }

    @Test(arguments: [400, 422])
    func `after a lost reply, a repeat that is refused says nothing of the first copy`(
        status: Int
    ) async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world)
        await world.faults.next(.dropAfter)
        _ = try await world.authenticator.resolve(challenge, with: yes)
        await world.server.refuse(status)
        guard case .unknown? = try await world.authenticator.resume()[challenge.id] else {
            Issue.record("The first copy was taken.")
            return
        }
    }

    @Test(arguments: [401, 409])
    func `after a try that never arrived, "over" means another's answer`(status: Int) async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world)
        await world.faults.next(.refuse)
        _ = try await world.authenticator.resolve(challenge, with: yes)
        await world.server.refuse(status)
        #expect(try await world.authenticator.resume() == [challenge.id: .answeredElsewhere])
    }

    @Test func `once the challenge has ended nothing is sent any more`() async throws {
        let world = try await World.enrolled()
        await world.hearTime()
        let (challenge, yes) = try await challenge(in: world)
        await world.server.replyAlways(500)
        _ = try await world.authenticator.resolve(challenge, with: yes)
        let sent = await world.answers().count
        world.clock.advance(by: .seconds(7_200))
        guard case .unknown? = try await world.authenticator.resume()[challenge.id] else {
            Issue.record("The server never said what became of it.")
            return
        }
        #expect(await world.answers().count <= sent + 1)
        let last = await world.answers().count
        #expect(try await world.authenticator.resume().isEmpty)
        #expect(await world.answers().count == last)
    }

    @Test func `while the outcome is unknown another answer is refused`() async throws {
        let world = try await World.enrolled()
        let (challenge, yes) = try await challenge(in: world, isCode: true)
        await world.server.replyAlways(503)
        _ = try await world.authenticator.resolve(challenge, with: yes)
        for other in [.choose("83"), .deny(.fraud)] as [Resolution] {
            let error = try await refusal {
                _ = try await world.authenticator.resolve(challenge, with: other)
            }
            #expect(error.code == .decidedOtherwise(yes))
        }
        #expect(Set(await world.answers().map(\.body)).count == 1)
    }

    // MARK: Challenges that end

    @Test func `a challenge that ends before the user's eyes can't be answered`() async throws {
        let world = try await World.enrolled()
        await world.hearTime()
        let (challenge, yes) = try await challenge(in: world)
        world.clock.advance(by: .seconds(7_200))
        for answer in [yes, .deny(.fraud)] {
            let error = try await refusal {
                _ = try await world.authenticator.resolve(challenge, with: answer)
            }
            #expect(error.code == .over)
        }
        #expect(await world.answers().isEmpty)
    }

    @Test func `a duplicate is shown once, and the first stands`() async throws {
        let world = try await World.enrolled()
        let key = try await world.key()
        let first = ContextJWT.code(key, ["83", "07", "12"])
        let id = try await world.challenge(first).id
        #expect(id.name == hex(sha256("ctx-0001")))
        for again in [first, .code(key, ["99", "98"]), ContextJWT(key)] {
            let reception = try #require(await world.authenticator.receive(again.message()).first)
            #expect(!reception.isNew)
            #expect(reception.challenge == id)
            #expect(
                try await world.authenticator.challenge(id).prompt == .choose(["83", "07", "12"]))
        }
        #expect(try await world.authenticator.records().count == 1)
    }

    @Test func `one bearer at two accounts is two challenges`() async throws {
        let world = try World()
        for account in ["ada", "bob"] { try await world.enroll(.account(account)) }
        for posted in await world.enrollments() {
            _ = try await world.challenge(ContextJWT(posted.key()))
        }
        #expect(try await world.authenticator.records().count == 2)
    }
}

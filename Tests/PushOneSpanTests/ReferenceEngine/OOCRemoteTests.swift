import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Remote authentication and remote transaction: `docs/vendors/onespan-ooc.md#7-requests`.
struct OOCRemoteTests {
    @Test func `a trigger names its request, and may come twice`() async throws {
        let harness = try await VectorEngine.activated()
        let trigger = try harness.server.trigger(0x20)
        for _ in 0..<2 {
            #expect(try await harness.engine.inspect(trigger)?.kind == .authentication)
        }
        let first = try await harness.engine.consume(trigger).sent
        let second = try await harness.engine.consume(trigger).sent
        #expect(try harness.server.open(first).flow != harness.server.open(second).flow)
        #expect(try harness.server.open(first).counter + 1 == harness.server.open(second).counter)
        #expect(
            try await harness.engine.consume(harness.server.over(second, 4)).outdated == .expired)
    }

    @Test func `a reply is no trigger, and a command of a device is nothing`() async throws {
        let harness = try await VectorEngine.activated()
        #expect(try await harness.engine.inspect(harness.command("32")) == nil)
        #expect(await OOC.problem { _ = try await harness.consume("31") } == .unexpectedCommand)
        #expect(
            await OOC.problem { _ = try await harness.engine.inspect(harness.command("33")) }
                == .unexpectedCommand)
    }

    @Test func `a trigger for another device, or a forged one, is refused`() async throws {
        let harness = try await VectorEngine.activated()
        var bytes = try harness.vectors("30")
        bytes[8] ^= 1
        let foreign = try OrchestrationCommand(OOC.hex(bytes))
        #expect(
            await OOC.problem { _ = try await harness.engine.inspect(foreign) }
                == .commandNotForThisDevice)
        bytes[8] ^= 1
        bytes[131] ^= 1
        let forged = try OrchestrationCommand(OOC.hex(bytes))
        #expect(
            await OOC.problem { _ = try await harness.engine.inspect(forged) } == .commandUntrusted)
    }

    @Test func `a trigger that is too long for a push is refused`() async throws {
        let harness = try await VectorEngine.activated()
        let request = OOC.tlv(
            (0x0E, OOC.integer(UInt64(1))), (0x0F, OOC.integer(UInt64(2))), (0x20, [0x61]))
        for (padding, isTaken) in [(768 - 52 - 16 - 29 - 4, true), (768 - 52 - 16 - 29 - 3, false)]
        {
            let body = request + OOC.tlv((0x9000, [UInt8](repeating: 0, count: padding)))
            let trigger = try harness.server.seal(0x30, flow: OOC.run(1), body: body)
            #expect(((try? await harness.engine.inspect(trigger)) != nil) == isTaken)
        }
    }

    @Test func `an end before the beginning, or behind all time, is refused`() async throws {
        let harness = try await VectorEngine.activated()
        for (issued, end) in [(2, 1), (1, UInt64.max), (1, 253_402_300_800_000)] {
            let body = OOC.tlv(
                (0x0E, OOC.integer(UInt64(issued))), (0x0F, OOC.integer(end)), (0x20, [0x61]))
            let trigger = try harness.server.seal(0x30, flow: OOC.run(1), body: body)
            #expect(
                await OOC.problem { _ = try await harness.engine.inspect(trigger) }
                    == .commandMalformed)
        }
    }

    @Test func `a rejection asks for no proof of the user, and carries none`() async throws {
        let harness = try await VectorEngine.activated()
        let flow = try await harness.display()
        let answer = try await harness.engine.provide(.decision(approved: false), to: flow).sent
        let body = try harness.server.open(answer).body
        let plain = OOC.tlv((0x26, [0]), (0x27, [0]), (0x28, OOC.digest(2, "Pay?")))
        #expect(OOC.hex(body).contains(OOC.hex(plain)))
        #expect(body.count == 190)
        #expect(
            try await harness.engine.consume(harness.server.result(of: answer, 3)).accepted == false
        )
    }

    @Test func `an approval carries the response of the method that was used`() async throws {
        let harness = try await VectorEngine.activated()
        for (asked, used) in [(UInt8(0), UInt8(0)), (1, 1), (2, 2), (2, 1)] {
            let flow = try await harness.display(0x20, method: asked)
            var step = try await harness.engine.provide(.decision(approved: true), to: flow)
            if used == 2 {
                _ = try step.authentication(.biometric)
                step = try await harness.engine.provide(.biometricSucceeded, to: flow)
            } else if used == 1 {
                if asked == 2 {
                    step = try await harness.engine.provide(.biometricUnavailable, to: flow)
                }
                _ = try step.authentication(.password)
                step = try await harness.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow)
            }
            let answer = try step.sent
            let opened = try harness.server.open(answer)
            let tbs =
                Array("OOC1 answer".utf8) + [0] + OOC.deviceID + opened.flow + [1, 0, 36]
                + Array(OOC.requestID.utf8) + OOC.sha("session challenge") + [1, used]
                + OOC.digest(2, "Pay?") + OOC.integer(opened.counter)
            let response = OOC.mac(OOC.sha("instance \(used)"), tbs)
            #expect(OOC.hex(opened.body).contains(OOC.hex(OOC.tlv((0x29, response)))))
            let result = try harness.server.result(of: answer, 2, token: "jwt")
            guard
                case .finished(.answered(true, let token), _) = try await harness.engine.consume(
                    result)
            else { Issue.record("It isn't accepted."); return }
            #expect(token?.plain == Array("jwt".utf8))
        }
    }

    @Test func `biometry doesn't stand in for the password`() async throws {
        let harness = try await VectorEngine.activated()
        let flow = try await harness.display()
        _ = try await harness.engine.provide(.decision(approved: true), to: flow)
        for input in [
            WorkflowInput.biometricSucceeded, .biometricUnavailable, .decision(approved: false),
        ] {
            #expect(
                await OOC.problem { _ = try await harness.engine.provide(input, to: flow) }
                    == .invalidState)
        }
        let empty = try await harness.engine.provide(.secret(Secret([])), to: flow)
        #expect(empty.problem == .init(.weakPassword, mayRetry: true))
        _ = try await harness.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow).sent
    }

    @Test func `the time that is left ends the question, and not the answer`() async throws {
        let harness = try await VectorEngine.activated()
        let late = try await harness.display()
        #expect(await harness.engine.timeLeft(of: late) == .seconds(60))
        harness.clock.advance(by: .seconds(60))
        let flow = try await harness.display()
        harness.clock.advance(by: .milliseconds(1))
        let step = try await harness.engine.provide(.decision(approved: true), to: late)
        #expect(step.outdated == .expired)
        let answer = try await harness.approve(flow)
        #expect(await harness.engine.timeLeft(of: flow) == nil)
        harness.clock.advance(by: .seconds(3_600))
        #expect(
            try await harness.engine.consume(harness.server.result(of: answer, 2)).accepted == true)
    }

    @Test(
        arguments: [
            (0, .unknown), (2, .accepted), (3, .refused), (4, .expired), (5, .unknown),
        ] as [(UInt8, SessionOutdatedReason)])
    func `a session that is over says why`(state: UInt8, reason: SessionOutdatedReason) async throws
    {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger()).sent
        #expect(
            try await harness.engine.consume(harness.server.over(fetch, state)).outdated == reason)
        let answer = try await harness.approve(try await harness.display())
        let elsewhere = try harness.server.result(of: answer, state, here: 0)
        #expect(try await harness.engine.consume(elsewhere).outdated == reason)
    }

    @Test func `a wrong response asks again in the same flow, with the next counter`() async throws
    {
        let harness = try await VectorEngine.activated()
        let flow = try await harness.display()
        let first = try await harness.approve(flow, pin: "1111")
        let wrong = try harness.server.result(of: first, 1, here: 0, attempts: 2)
        #expect(
            try await harness.engine.consume(wrong).problem
                == .init(.wrongResponse(attemptsLeft: 2), mayRetry: true))
        let second = try await harness.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow).sent
        let (one, two) = (try harness.server.open(first), try harness.server.open(second))
        #expect(one.flow == two.flow && one.counter + 1 == two.counter)
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(wrong) } == .unexpectedCommand)
        let failed = try harness.server.result(of: second, 5)
        #expect(
            try await harness.engine.consume(failed).serverError
                == ServerError(-1700, isAuthenticated: true))
    }

    @Test func `a result that contradicts itself is no result`() async throws {
        let harness = try await VectorEngine.activated()
        let answer = try await harness.approve(try await harness.display())
        for (state, here, attempts) in [(1, 1, 1), (1, 0, nil), (6, 1, nil), (2, 2, nil)]
            as [(UInt8, UInt8, UInt8?)]
        {
            let result = try harness.server.result(
                of: answer, state, here: here, attempts: attempts)
            #expect(
                await OOC.problem { _ = try await harness.engine.consume(result) }
                    == .commandMalformed)
        }
        #expect(
            try await harness.engine.consume(harness.server.result(of: answer, 2)).accepted == true)
    }

    @Test(
        arguments: [
            (1, [2, 0, 1, 0x61, 0, 0], 1, .unreadable), (0, [], 1, .missing),
            (9, [0x61], 1, .unknownForm), (2, [0x61], 7, .unknownMethod),
        ] as [(UInt8, [UInt8], UInt8, DisplayProblem)])
    func `what can't be shown whole can only be rejected`(
        form: UInt8, data: [UInt8], method: UInt8, problem: DisplayProblem
    ) async throws {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger()).sent
        let challenge = try harness.server.challenge(
            for: fetch, method: method, display: (form, data))
        guard
            case .display(let request, let flow) = try await harness.engine.consume(challenge)
        else {
            Issue.record("What can be shown of it is shown."); return
        }
        #expect(request.problem == problem)
        #expect(
            await OOC.problem {
                _ = try await harness.engine.provide(.decision(approved: true), to: flow)
            } == .invalidState)
        let answer = try await harness.engine.provide(.decision(approved: false), to: flow).sent
        // The server learns which data the user refused: their digest is in the answer.
        let digest = sha256([form], data)
        #expect(try harness.server.open(answer).body.firstRange(of: digest) != nil)
    }

    @Test func `an authentication may show nothing`() async throws {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger(0x20)).sent
        let empty = try harness.server.challenge(for: fetch, display: (0, []))
        guard case .display(let request, _) = try await harness.engine.consume(empty) else {
            Issue.record("An authentication may show nothing."); return
        }
        #expect(request.content == .none)
        #expect(request.problem == nil)
    }

    @Test func `a reply that names another device isn't taken, even sealed with the right key`()
        async throws
    {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger()).sent
        let (flow, counter, _) = try harness.server.open(fetch)
        let body = OOC.tlv(
            (0x0D, OOC.integer(counter)), (0x20, Array(OOC.requestID.utf8)), (0x2B, [2]))
        let foreign = try harness.server.seal(0x32, flow: flow, body: body, to: OOC.run(0xE0))
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(foreign) }
                == .commandNotForThisDevice)
        #expect(
            try await harness.engine.consume(harness.server.over(fetch, 2)).outdated == .accepted)
    }

    @Test func `a challenge of another request isn't taken`() async throws {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger()).sent
        let other = try harness.server.challenge(for: fetch, request: "other")
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(other) } == .unexpectedCommand)
        _ = try await harness.engine.consume(harness.server.challenge(for: fetch))
    }

    @Test func `a reply to an earlier counter isn't taken`() async throws {
        let harness = try await VectorEngine.activated()
        let flow = try await harness.display()
        let first = try await harness.approve(flow, pin: "1111")
        let wrong = try harness.server.result(of: first, 1, here: 0, attempts: 2)
        _ = try await harness.engine.consume(wrong)
        let late = try harness.server.result(of: first, 2)
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(late) } == .unexpectedCommand)
        _ = try await harness.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow).sent
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(late) } == .unexpectedCommand)
    }
}

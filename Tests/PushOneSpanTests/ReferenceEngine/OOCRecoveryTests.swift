import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// Refusals, restored records, password changes, and what stays on the device.
struct OOCRecoveryTests {
    private let highest = "0000000000000064"

    @Test func `a counter that is behind is raised, and the command sealed once more`() async throws
    {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger()).sent
        let again = try await harness.engine.consume(
            harness.server.refuse(fetch, -1302, payload: highest)
        ).sent
        #expect(try harness.server.open(again).counter == 101)
        #expect(try harness.server.open(again).flow == harness.server.open(fetch).flow)
        let late = try harness.server.challenge(for: fetch)
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(late) } == .unexpectedCommand)
        let second = try harness.server.refuse(again, -1302, payload: "00000000000000C8")
        #expect(try await harness.engine.consume(second).serverError?.returnCode == -1302)
        #expect(try await harness.record().counter == 200)
        let registration = try await harness.register()
        let repeated = try await harness.engine.consume(
            harness.server.refuse(registration, -1302, payload: "0000000000000001")
        ).sent
        #expect(try harness.server.open(repeated).counter == 202)
        #expect(try harness.server.open(repeated).body == harness.server.open(registration).body)
    }

    @Test(arguments: ["", "64", "000000000000006G", "00000000000000640", "00000000 0000064"])
    func `a refusal that names no counter raises none`(payload: String) async throws {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger()).sent
        let refusal = try harness.server.refuse(fetch, -1302, payload: payload)
        #expect(try await harness.engine.consume(refusal).serverError?.returnCode == -1302)
        #expect(try await harness.record().counter == 6)
    }

    @Test func `the highest counter there is traps nothing`() async throws {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger()).sent
        let refusal = try harness.server.refuse(fetch, -1302, payload: "FFFFFFFFFFFFFFFF")
        await #expect(throws: OrchestrationError.self) {
            _ = try await harness.engine.consume(refusal)
        }
        await #expect(throws: OrchestrationError.self) { _ = try await harness.register() }
    }

    @Test func `an answer whose counter was behind asks for the session first`() async throws {
        let harness = try await VectorEngine.activated()
        let flow = try await harness.display()
        let answer = try await harness.approve(flow)
        let fetch = try await harness.engine.consume(
            harness.server.refuse(answer, -1302, payload: highest)
        ).sent
        #expect(try harness.server.open(fetch).flow.hexName != flow.value)
        let asked = try await harness.engine.consume(harness.server.challenge(for: fetch))
        let next = try asked.authentication(.password)
        let second = try await harness.engine.provide(.secret(OOC.secret(OOC.pin)), to: next).sent
        #expect(
            try await harness.engine.consume(harness.server.result(of: second, 2)).accepted == true)

        let rejected = try await harness.engine.provide(
            .decision(approved: false), to: try await harness.display()
        ).sent
        let other = try await harness.engine.consume(
            harness.server.refuse(rejected, -1302, payload: highest)
        ).sent
        let sealed = try await harness.engine.consume(harness.server.challenge(for: other)).sent
        #expect(
            try await harness.engine.consume(harness.server.result(of: sealed, 3)).accepted == false
        )
    }

    @Test func `an answer whose counter is always behind ends`() async throws {
        let harness = try await VectorEngine.activated()
        var answer = try await harness.engine.provide(
            .decision(approved: false), to: try await harness.display()
        ).sent
        for _ in 0..<2 {
            let fetch = try await harness.engine.consume(
                harness.server.refuse(answer, -1302, payload: highest)
            ).sent
            answer = try await harness.engine.consume(harness.server.challenge(for: fetch)).sent
        }
        let last = try harness.server.refuse(answer, -1302, payload: highest)
        #expect(try await harness.engine.consume(last).serverError?.returnCode == -1302)
    }

    @Test func `a decision stands for what was shown, and for nothing else`() async throws {
        let harness = try await VectorEngine.activated()
        let answer = try await harness.approve(try await harness.display(text: "Pay 1 EUR?"))
        let fetch = try await harness.engine.consume(
            harness.server.refuse(answer, -1302, payload: highest)
        ).sent
        let changed = try harness.server.challenge(for: fetch, method: 0, text: "Pay 1,000 EUR?")
        guard case .display(let request, _) = try await harness.engine.consume(changed) else {
            Issue.record("What wasn't shown was answered."); return
        }
        #expect(request.content == .text("Pay 1,000 EUR?"))
    }

    @Test func `a device that the server removed is told so, and does nothing more`() async throws {
        let harness = try await VectorEngine.activated()
        let flow = try await harness.display()
        let registration = try await harness.register()
        let clear = try OrchestrationCommand(harness.vectors.text("clear"))
        _ = try await harness.engine.consume(clear)
        let refusal = try harness.server.refuse(registration, -1300)
        #expect(try await harness.engine.consume(refusal).serverError?.returnCode == -1300)
        let account = try await harness.accounts.existing(harness.enrollment)
        #expect(account.enrollment.state == .needsReenrollment)
        #expect(try account.credential(as: OneSpanCredential.self).isDeactivated)
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(harness.server.trigger()) }
                == .authenticator(-1300))
        #expect(
            await OOC.problem {
                _ = try await harness.engine.provide(.decision(approved: true), to: flow)
            }
                == .invalidState)
        try await harness.engine.forget(OOC.deviceName)
        #expect(await harness.store.count == 0)
    }

    @Test func `a refusal of another command isn't taken`() async throws {
        let harness = try await VectorEngine.activated()
        let fetch = try await harness.engine.consume(harness.server.trigger()).sent
        let registration = try await harness.register()
        _ = try await harness.engine.consume(harness.server.acknowledge(registration))
        let stale = try harness.server.refuse(registration, -1300)
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(stale) } == .unexpectedCommand)
        let forged = try harness.server.seal(
            0x7F, flow: harness.server.open(fetch).flow,
            body: OOC.tlv(
                (0x0D, OOC.integer(UInt64(1))), (0x70, OOC.integer(Int32(-1300))), (0x71, []),
                (0x73, [0x47]), (0x74, [0]), (0x75, [0]), (0x76, OOC.run(0))))
        #expect(
            await OOC.problem { _ = try await harness.engine.consume(forged) } == .unexpectedCommand
        )
        #expect(
            try await harness.engine.consume(harness.server.over(fetch, 2)).outdated == .accepted)
    }

    @Test func `a changed password counts once the server says so`() async throws {
        let harness = try await VectorEngine.activated()
        let (command, _) = try await harness.change()
        #expect(try await harness.record().change != nil)
        let flow = try await harness.display()
        #expect(await OOC.problem { _ = try await harness.approve(flow) } == .workflowInProgress)
        #expect(
            await OOC.problem {
                _ = try await harness.engine.start(.changePassword(deviceID: OOC.deviceName))
            }
                == .workflowInProgress)
        _ = try await harness.engine.consume(harness.server.acknowledge(command))
        let answer = try await harness.engine.provide(.secret(OOC.secret("246802")), to: flow).sent
        _ = try harness.server.open(answer)
        let body = try harness.server.open(command).body
        let sent = Array(body.suffix(32))
        let key = try await (try harness.record()).mask.key(password: OOC.secret("246802"))
        #expect(key.plain == sent)
        #expect(sent != OOC.sha("instance 1"))
    }

    @Test func `a wrong old password leaves the old key`() async throws {
        let harness = try await VectorEngine.activated()
        let (command, flow) = try await harness.change(old: "9999")
        let wrong = try harness.server.acknowledge(command, attempts: 4)
        #expect(
            try await harness.engine.consume(wrong).problem
                == .init(.wrongResponse(attemptsLeft: 4), mayRetry: false))
        #expect(try await harness.record().change == nil)
        #expect(
            await OOC.problem {
                _ = try await harness.engine.provide(.biometricSucceeded, to: flow)
            }
                == .invalidState)
        let key = try await (try harness.record()).mask.key(password: OOC.secret(OOC.pin))
        #expect(key.plain == OOC.sha("instance 1"))
    }

    @Test func `a new password differs from the old one and has some length`() async throws {
        let harness = try await VectorEngine.activated()
        let flow = try await harness.engine.start(.changePassword(deviceID: OOC.deviceName))
            .authentication(.password)
        _ = try await harness.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow)
        for (new, reason) in [(OOC.pin, InputProblem.samePassword), ("12", .weakPassword)] {
            let step = try await harness.engine.provide(.secret(OOC.secret(new)), to: flow)
            #expect(step.problem == .init(reason, mayRetry: true))
        }
        _ = try await harness.engine.provide(.secret(OOC.secret("246802")), to: flow).sent
    }

    @Test func `a change whose counter was behind is sealed again, with its nonce and key`()
        async throws
    {
        let harness = try await VectorEngine.activated()
        let (command, flow) = try await harness.change()
        let refusal = try harness.server.refuse(command, -1302, payload: highest)
        #expect(
            try await harness.engine.consume(refusal).authentication(.password) == flow
        )
        #expect(!(await harness.engine.cancel(flow)))
        #expect(
            try await harness.engine.resume(OOC.deviceName)?.authentication(.password)
                == flow)
        let again = try await harness.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow).sent
        try expectSameChange(command, again, harness)
        #expect(try await harness.record().change?.command == again.bytes)
        _ = try await harness.engine.consume(harness.server.acknowledge(again))
        #expect(try await harness.record().change == nil)
    }

    private func expectSameChange(
        _ one: OrchestrationCommand, _ other: OrchestrationCommand, _ harness: VectorEngine
    ) throws {
        let (first, second) = (try harness.server.open(one), try harness.server.open(other))
        #expect(first.counter < second.counter)
        #expect(first.body.prefix(36) == second.body.prefix(36))
        #expect(first.body.suffix(36) == second.body.suffix(36))
        #expect(first.body != second.body)
    }

    @Test func `a change outlives its process, and asks for both passwords to be sealed again`()
        async throws
    {
        let harness = try await VectorEngine.activated()
        let (command, _) = try await harness.change()
        let later = try VectorEngine(sharing: harness)
        #expect(try await later.engine.resume(OOC.deviceName)?.sent == command)
        let refusal = try harness.server.refuse(command, -1302, payload: highest)
        let flow = try await later.engine.consume(refusal).authentication(.password)
        let next = try await later.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow)
        _ = try next.authentication(.password, isEnrollment: true)
        #expect(
            try await later.engine.resume(OOC.deviceName)?.authentication(
                .password, isEnrollment: true)
                == flow)
        let again = try await later.engine.provide(.secret(OOC.secret("246802")), to: flow).sent
        try expectSameChange(command, again, harness)
        guard
            case .finished(.passwordChanged, _) = try await later.engine.consume(
                harness.server.acknowledge(again))
        else { Issue.record("The password isn't changed."); return }
    }

    @Test func `a weak new password seals no change in a later process either`() async throws {
        let harness = try await VectorEngine.activated()
        let (command, _) = try await harness.change()
        let later = try VectorEngine(sharing: harness)
        _ = try await later.engine.resume(OOC.deviceName)
        let refusal = try harness.server.refuse(command, -1302, payload: highest)
        let flow = try await later.engine.consume(refusal).authentication(.password)
        _ = try await later.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow)
        let weak = try await later.engine.provide(.secret(OOC.secret("12")), to: flow)
        #expect(weak.problem == .init(.weakPassword, mayRetry: true))
        _ = try await later.engine.provide(.secret(OOC.secret("246802")), to: flow).sent
    }

    @Test func `two engines on one store never use a counter twice`() async throws {
        let harness = try await VectorEngine.activated()
        let other = try VectorEngine(sharing: harness)
        let trigger = try harness.server.trigger()
        var counters: Set<UInt64> = []
        for engine in [harness.engine, other.engine, harness.engine, other.engine] {
            counters.insert(try harness.server.open(try await engine.consume(trigger).sent).counter)
        }
        #expect(counters == [6, 7, 8, 9])
    }
}

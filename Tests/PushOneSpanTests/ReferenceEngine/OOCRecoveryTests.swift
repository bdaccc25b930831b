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
        let world = try await EngineBench.activated()
        let fetch = try await world.engine.consume(world.server.trigger()).sent
        let again = try await world.engine.consume(
            world.server.refuse(fetch, -1302, payload: highest)
        ).sent
        #expect(try world.server.open(again).counter == 101)
        #expect(try world.server.open(again).flow == world.server.open(fetch).flow)
        let late = try world.server.challenge(for: fetch)
        #expect(
            await OOC.problem { _ = try await world.engine.consume(late) } == .unexpectedCommand)
        let second = try world.server.refuse(again, -1302, payload: "00000000000000C8")
        #expect(try await world.engine.consume(second).serverError?.returnCode == -1302)
        #expect(try await world.record().counter == 200)
        let registration = try await world.register()
        let repeated = try await world.engine.consume(
            world.server.refuse(registration, -1302, payload: "0000000000000001")
        ).sent
        #expect(try world.server.open(repeated).counter == 202)
        #expect(try world.server.open(repeated).body == world.server.open(registration).body)
    }

    @Test(arguments: ["", "64", "000000000000006G", "00000000000000640", "00000000 0000064"])
    func `a refusal that names no counter raises none`(payload: String) async throws {
        let world = try await EngineBench.activated()
        let fetch = try await world.engine.consume(world.server.trigger()).sent
        let refusal = try world.server.refuse(fetch, -1302, payload: payload)
        #expect(try await world.engine.consume(refusal).serverError?.returnCode == -1302)
        #expect(try await world.record().counter == 6)
    }

    @Test func `the highest counter there is traps nothing`() async throws {
        let world = try await EngineBench.activated()
        let fetch = try await world.engine.consume(world.server.trigger()).sent
        let refusal = try world.server.refuse(fetch, -1302, payload: "FFFFFFFFFFFFFFFF")
        await #expect(throws: OrchestrationError.self) {
            _ = try await world.engine.consume(refusal)
        }
        await #expect(throws: OrchestrationError.self) { _ = try await world.register() }
    }

    @Test func `an answer whose counter was behind asks for the session first`() async throws {
        let world = try await EngineBench.activated()
        let flow = try await world.display()
        let answer = try await world.approve(flow)
        let fetch = try await world.engine.consume(
            world.server.refuse(answer, -1302, payload: highest)
        ).sent
        #expect(try world.server.open(fetch).flow.hexName != flow.value)
        let asked = try await world.engine.consume(world.server.challenge(for: fetch))
        let next = try asked.authentication(.password)
        let second = try await world.engine.provide(.secret(OOC.secret(OOC.pin)), to: next).sent
        #expect(try await world.engine.consume(world.server.result(of: second, 2)).accepted == true)

        let rejected = try await world.engine.provide(
            .decision(approved: false), to: try await world.display()
        ).sent
        let other = try await world.engine.consume(
            world.server.refuse(rejected, -1302, payload: highest)
        ).sent
        let sealed = try await world.engine.consume(world.server.challenge(for: other)).sent
        #expect(
            try await world.engine.consume(world.server.result(of: sealed, 3)).accepted == false)
    }

    @Test func `an answer whose counter is always behind ends`() async throws {
        let world = try await EngineBench.activated()
        var answer = try await world.engine.provide(
            .decision(approved: false), to: try await world.display()
        ).sent
        for _ in 0..<2 {
            let fetch = try await world.engine.consume(
                world.server.refuse(answer, -1302, payload: highest)
            ).sent
            answer = try await world.engine.consume(world.server.challenge(for: fetch)).sent
        }
        let last = try world.server.refuse(answer, -1302, payload: highest)
        #expect(try await world.engine.consume(last).serverError?.returnCode == -1302)
    }

    @Test func `a decision stands for what was shown, and for nothing else`() async throws {
        let world = try await EngineBench.activated()
        let answer = try await world.approve(try await world.display(text: "Pay 1 EUR?"))
        let fetch = try await world.engine.consume(
            world.server.refuse(answer, -1302, payload: highest)
        ).sent
        let changed = try world.server.challenge(for: fetch, method: 0, text: "Pay 1,000 EUR?")
        guard case .display(let request, _) = try await world.engine.consume(changed) else {
            Issue.record("What wasn't shown was answered."); return
        }
        #expect(request.content == .text("Pay 1,000 EUR?"))
    }

    @Test func `a device that the server removed is told so, and does nothing more`() async throws {
        let world = try await EngineBench.activated()
        let flow = try await world.display()
        let registration = try await world.register()
        let clear = try OrchestrationCommand(world.vectors.hex("clear"))
        _ = try await world.engine.consume(clear)
        let refusal = try world.server.refuse(registration, -1300)
        #expect(try await world.engine.consume(refusal).serverError?.returnCode == -1300)
        let credential = try await world.vault.existing(world.enrollment)
        #expect(credential.enrollment.state == .needsReenrollment)
        #expect(try OneSpanCredential(credential.secret).isDeactivated)
        #expect(
            await OOC.problem { _ = try await world.engine.consume(world.server.trigger()) }
                == .authenticator(-1300))
        #expect(
            await OOC.problem {
                _ = try await world.engine.provide(.decision(approved: true), to: flow)
            }
                == .invalidState)
        try await world.engine.forget(OOC.deviceName)
        #expect(await world.store.count == 0)
    }

    @Test func `a refusal of another command isn't taken`() async throws {
        let world = try await EngineBench.activated()
        let fetch = try await world.engine.consume(world.server.trigger()).sent
        let registration = try await world.register()
        _ = try await world.engine.consume(world.server.acknowledge(registration))
        let stale = try world.server.refuse(registration, -1300)
        #expect(
            await OOC.problem { _ = try await world.engine.consume(stale) } == .unexpectedCommand)
        let forged = try world.server.seal(
            0x7F, flow: world.server.open(fetch).flow,
            body: OOC.tlv(
                (0x0D, OOC.integer(UInt64(1))), (0x70, OOC.integer(Int32(-1300))), (0x71, []),
                (0x73, [0x47]), (0x74, [0]), (0x75, [0]), (0x76, OOC.run(0))))
        #expect(
            await OOC.problem { _ = try await world.engine.consume(forged) } == .unexpectedCommand)
        #expect(try await world.engine.consume(world.server.over(fetch, 2)).outdated == .accepted)
    }

    @Test func `a changed password counts once the server says so`() async throws {
        let world = try await EngineBench.activated()
        let (command, _) = try await world.change()
        #expect(try await world.record().change != nil)
        let flow = try await world.display()
        #expect(await OOC.problem { _ = try await world.approve(flow) } == .workflowInProgress)
        #expect(
            await OOC.problem {
                _ = try await world.engine.start(.changePassword(deviceID: OOC.deviceName))
            }
                == .workflowInProgress)
        _ = try await world.engine.consume(world.server.acknowledge(command))
        let answer = try await world.engine.provide(.secret(OOC.secret("246802")), to: flow).sent
        _ = try world.server.open(answer)
        let body = try world.server.open(command).body
        let sent = Array(body.suffix(32))
        let key = try await (try world.record()).mask.key(password: OOC.secret("246802"))
        #expect(key.plain == sent)
        #expect(sent != OOC.sha("instance 1"))
    }

    @Test func `a wrong old password leaves the old key`() async throws {
        let world = try await EngineBench.activated()
        let (command, flow) = try await world.change(old: "9999")
        let wrong = try world.server.acknowledge(command, attempts: 4)
        #expect(
            try await world.engine.consume(wrong).problem
                == .init(.wrongResponse(attemptsLeft: 4), mayRetry: false))
        #expect(try await world.record().change == nil)
        #expect(
            await OOC.problem { _ = try await world.engine.provide(.biometricSucceeded, to: flow) }
                == .invalidState)
        let key = try await (try world.record()).mask.key(password: OOC.secret(OOC.pin))
        #expect(key.plain == OOC.sha("instance 1"))
    }

    @Test func `a new password differs from the old one and has some length`() async throws {
        let world = try await EngineBench.activated()
        let flow = try await world.engine.start(.changePassword(deviceID: OOC.deviceName))
            .authentication(.password)
        _ = try await world.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow)
        for (new, reason) in [(OOC.pin, InputProblem.samePassword), ("12", .weakPassword)] {
            let step = try await world.engine.provide(.secret(OOC.secret(new)), to: flow)
            #expect(step.problem == .init(reason, mayRetry: true))
        }
        _ = try await world.engine.provide(.secret(OOC.secret("246802")), to: flow).sent
    }

    @Test func `a change whose counter was behind is sealed again, with its nonce and key`()
        async throws
    {
        let world = try await EngineBench.activated()
        let (command, flow) = try await world.change()
        let refusal = try world.server.refuse(command, -1302, payload: highest)
        #expect(
            try await world.engine.consume(refusal).authentication(.password) == flow
        )
        #expect(!(await world.engine.cancel(flow)))
        #expect(
            try await world.engine.resume(OOC.deviceName)?.authentication(.password)
                == flow)
        let again = try await world.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow).sent
        try expectSameChange(command, again, world)
        #expect(try await world.record().change?.command == again.bytes)
        _ = try await world.engine.consume(world.server.acknowledge(again))
        #expect(try await world.record().change == nil)
    }

    private func expectSameChange(
        _ one: OrchestrationCommand, _ other: OrchestrationCommand, _ world: EngineBench
    ) throws {
        let (first, second) = (try world.server.open(one), try world.server.open(other))
        #expect(first.counter < second.counter)
        #expect(first.body.prefix(36) == second.body.prefix(36))
        #expect(first.body.suffix(36) == second.body.suffix(36))
        #expect(first.body != second.body)
    }

    @Test func `a change outlives its process, and asks for both passwords to be sealed again`()
        async throws
    {
        let world = try await EngineBench.activated()
        let (command, _) = try await world.change()
        let later = try EngineBench(sharing: world)
        #expect(try await later.engine.resume(OOC.deviceName)?.sent == command)
        let refusal = try world.server.refuse(command, -1302, payload: highest)
        let flow = try await later.engine.consume(refusal).authentication(.password)
        let next = try await later.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow)
        _ = try next.authentication(.password, isEnrollment: true)
        #expect(
            try await later.engine.resume(OOC.deviceName)?.authentication(
                .password, isEnrollment: true)
                == flow)
        let again = try await later.engine.provide(.secret(OOC.secret("246802")), to: flow).sent
        try expectSameChange(command, again, world)
        guard
            case .finished(.passwordChanged, _) = try await later.engine.consume(
                world.server.acknowledge(again))
        else { Issue.record("The password isn't changed."); return }
    }

    @Test func `a weak new password seals no change in a later process either`() async throws {
        let world = try await EngineBench.activated()
        let (command, _) = try await world.change()
        let later = try EngineBench(sharing: world)
        _ = try await later.engine.resume(OOC.deviceName)
        let refusal = try world.server.refuse(command, -1302, payload: highest)
        let flow = try await later.engine.consume(refusal).authentication(.password)
        _ = try await later.engine.provide(.secret(OOC.secret(OOC.pin)), to: flow)
        let weak = try await later.engine.provide(.secret(OOC.secret("12")), to: flow)
        #expect(weak.problem == .init(.weakPassword, mayRetry: true))
        _ = try await later.engine.provide(.secret(OOC.secret("246802")), to: flow).sent
    }

    @Test func `two engines on one store never use a counter twice`() async throws {
        let world = try await EngineBench.activated()
        let other = try EngineBench(sharing: world)
        let trigger = try world.server.trigger()
        var counters: Set<UInt64> = []
        for engine in [world.engine, other.engine, world.engine, other.engine] {
            counters.insert(try world.server.open(try await engine.consume(trigger).sent).counter)
        }
        #expect(counters == [6, 7, 8, 9])
    }
}

import Foundation
import PushCore
import PushPowerAuthSimulator
import Testing

@testable import PushPowerAuth
@testable import PushTesting

@Suite struct StatusTests {
    let phone: PowerAuthHarness
    let id: Enrollment.ID

    init() async throws {
        phone = try await PowerAuthHarness()
        id = try await phone.activated()
    }

    private func refreshed() async throws -> Enrollment.State {
        try await phone.authenticator.refresh(id).state
    }

    private func sign(_ count: Int) async throws {
        for _ in 0..<count {
            try await phone.takeCounter(of: id)
        }
    }

    // MARK: States

    @Test func `blocking and unblocking are followed`() async throws {
        try await phone.simulator.block(id.name)
        guard case .blocked = try await refreshed() else {
            Issue.record("It isn't blocked.")
            return
        }
        try await phone.simulator.unblock(id.name)
        // The next call finds out by itself.
        try await phone.validate(.pin(Customer.pin), of: id)
        #expect(try await phone.state(id) == .active)
    }

    @Test func `a removed activation must be made again, and its keys are gone`() async throws {
        try await phone.simulator.remove(id.name)
        #expect(try await refreshed() == .needsReenrollment)
        #expect(try await phone.record(id).locked == nil)
        #expect(
            await code { try await phone.validate(.pin(Customer.pin), of: id) }
                == .unknownEnrollment)
        #expect(await phone.calls(.validation) == 0)
    }

    @Test(arguments: [PowerAuthSimulator.BadAnswer.randomBlob, .tampered])
    func `one answer that can't be opened is asked for again`(
        _ fault: PowerAuthSimulator.BadAnswer
    ) async throws {
        let asked = await phone.calls(.status)
        await phone.simulator.spoil(by: fault, at: .status)
        #expect(try await refreshed() == .active)
        #expect(await phone.calls(.status) == asked + 2)
        let bodies = await phone.transport.exchanges.suffix(2).map(\.body)
        #expect(Set(bodies).count == 2)
    }

    @Test func `two answers that can't be opened delete no key`() async throws {
        await phone.simulator.spoil(by: .randomBlob, at: .status, times: 2)
        #expect(try await refreshed() == .needsReenrollment)
        #expect(try await phone.record(id).locked != nil)
        #expect(try await refreshed() == .active)
        #expect(try await phone.approve(try await phone.bank.ask(), at: id) == .delivered)
    }

    @Test func `an answer that isn't a status changes nothing`() async throws {
        for (member, value) in [
            ("encryptedStatusBlob", JSON.string("AAAA")), ("nonce", "AAAA"), ("nonce", nil),
        ] {
            await phone.simulator.spoil(
                by: .replaced(member: member, value: value), at: .status, times: 2)
            #expect(await code { try await refreshed() } == .malformed)
            await phone.simulator.spoil(
                by: .replaced(member: member, value: value), at: .status)
            #expect(try await refreshed() == .active)
        }
        await phone.fail(.status, .status(503))
        #expect(await code { try await refreshed() } == .server(status: 503))
        #expect(try await phone.state(id) == .active)
    }

    @Test(arguments: [true, false])
    func `an answer of a wrong size beside one that can't be opened ends nothing`(
        _ comesFirst: Bool
    ) async throws {
        let wrong = PowerAuthSimulator.BadAnswer.replaced(
            member: "encryptedStatusBlob", value: "AAAA")
        for fault in comesFirst ? [wrong, .randomBlob] : [.randomBlob, wrong] {
            await phone.simulator.spoil(by: fault, at: .status)
        }
        #expect(await code { try await refreshed() } == .malformed)
        #expect(try await phone.state(id) == .active)
    }

    // MARK: The counter

    @Test(arguments: [11, 19])
    func `a device that is far ahead lets the server follow`(_ steps: Int) async throws {
        try await sign(steps)
        #expect(try await refreshed() == .active)
        #expect(await phone.calls(.validation) == 1)
        #expect(try await phone.simulator.activation(id.name).counter == UInt64(steps + 1))
        let exchange = try #require(await phone.transport.exchanges.last)
        #expect(
            try JSON(parsing: exchange.body)["requestObject"]?["reason"]
                == "COUNTER_SYNCHRONIZATION")
        #expect(try await phone.approve(try await phone.bank.ask(), at: id) == .delivered)
    }

    @Test func `a device that is too far ahead must enroll again`() async throws {
        try await sign(21)
        let asked = await phone.calls(.status)
        #expect(try await refreshed() == .needsReenrollment)
        #expect(await phone.calls(.status) == asked + 2)
        #expect(Set(await phone.transport.exchanges.suffix(2).map(\.body)).count == 2)
        #expect(try await phone.manager(id).status().state == .deadlock)
        #expect(try await phone.record(id).locked != nil)
    }

    @Test func `one status that doesn't fit the counter ends nothing`() async throws {
        let (simulator, name) = (phone.simulator, id.name)
        // The first is of a copy of the server that is far behind the others.
        let asked = Locked(0)
        let transport = SimulatedTransport { request, body in
            let isFirst = asked.withLock { count in
                count += 1
                return count == 1
            }
            try? await simulator.setCounter(of: name, to: isFirst ? 60 : 0)
            return await simulator.respond(to: request, body: body)
        }
        let provider = phone.anotherProvider(over: transport)
        let account = try await provider.channel.accounts.existing(id)
        #expect(try await provider.channel.status(of: account).enrollment.state == .active)
        #expect(asked.withLock { $0 } == 2)
    }

    @Test(arguments: [1, 5])
    func `a PIN that met parted counters isn't called wrong`(_ steps: Int) async throws {
        try await phone.simulator.setCounter(of: id.name, to: steps)
        guard
            case .notTaken(let refusal)? = await code(of: {
                try await phone.validate(.pin(Customer.pin), of: id)
            })
        else {
            Issue.record("It was taken.")
            return
        }
        #expect(refusal.reason == .stateChanged)
        #expect(refusal.mayRetry)
        #expect(refusal.attemptsLeft == 4)
        try await phone.validate(.pin(Customer.pin), of: id)
    }

    @Test(arguments: [1, 5])
    func `a token is made over parted counters`(_ steps: Int) async throws {
        try await phone.simulator.setCounter(of: id.name, to: steps)
        #expect(try await phone.authenticator.deviceTokenChanged(.fcm("abc")).isEmpty)
        #expect(await phone.calls(.tokenCreation) == 2)
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 0)
    }

    @Test func `a catch-up that fails leaves the state as it is`() async throws {
        try await sign(11)
        await phone.fail(.validation, .refuse)
        #expect(try await refreshed() == .active)
        #expect(phone.observer.observations.contains { $0.summary.contains("follow") })
    }
}

import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct PowerAuthManagerTests {
    let phone: PowerAuthHarness
    let id: Enrollment.ID
    let manager: PowerAuthManager

    init() async throws {
        phone = try await PowerAuthHarness()
        id = try await phone.activated()
        manager = try phone.manager(id)
    }

    private func pin(_ text: String) -> Secret { Secret(text.utf8) }

    // MARK: The PIN

    @Test func `the right PIN is right, and a wrong one counts`() async throws {
        try await manager.validatePIN(pin(Customer.pin))
        #expect(await attemptsLeft { try await manager.validatePIN(pin("9999")) } == 4)
        #expect(await attemptsLeft { try await manager.validatePIN(pin("9998")) } == 3)
        try await manager.validatePIN(pin(Customer.pin))
        #expect(try await phone.simulator.activation(id.name).failedAttempts == 0)
    }

    @Test func `a wrong PIN is sent once`() async throws {
        _ = await code { try await manager.validatePIN(pin("9999")) }
        #expect(await phone.calls(.validation) == 1)
    }

    @Test func `the last wrong PIN blocks, and nothing more is sent`() async throws {
        for _ in 0..<4 { _ = await code { try await manager.validatePIN(pin("9999")) } }
        #expect(await code { try await manager.validatePIN(pin("9999")) } == .blocked)
        guard case .blocked? = try await phone.state(id) else {
            Issue.record("The state isn't on record.")
            return
        }
        #expect(await code { try await manager.validatePIN(pin(Customer.pin)) } == .blocked)
        #expect(await phone.calls(.validation) == 5)
        #expect(try await manager.status().state == .blocked)

        try await phone.simulator.unblock(id.name)
        try await manager.validatePIN(pin(Customer.pin))
    }

    @Test func `a refusal whose reason can't be asked for isn't taken for a wrong PIN`()
        async throws
    {
        await phone.fail(.status, .refuse)
        #expect(
            await code { try await manager.validatePIN(pin("9999")) } == .server(status: 401))
    }

    @Test func `a new PIN takes the old one's place, under a fresh salt`() async throws {
        let before = try #require(try await phone.record(id).locked?.knowledge)
        try await manager.changePIN(from: pin(Customer.pin), to: pin("567890"))
        let after = try #require(try await phone.record(id).locked?.knowledge)
        #expect(before.salt != after.salt)
        try await manager.validatePIN(pin("567890"))
        #expect(await attemptsLeft { try await manager.validatePIN(pin(Customer.pin)) } == 4)
    }

    @Test func `a wrong old PIN changes nothing`() async throws {
        let before = try await phone.record(id).locked?.knowledge
        #expect(
            await attemptsLeft {
                try await manager.changePIN(from: pin("9999"), to: pin("5678"))
            } == 4)
        let after = try await phone.record(id).locked?.knowledge
        #expect(before?.salt == after?.salt)
        try await manager.validatePIN(pin(Customer.pin))
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropAfter, .status(500)])
    func `without the server's word on the old PIN nothing changes`(
        _ fault: FaultPlan.Fault
    ) async throws {
        await phone.fail(.validation, fault)
        #expect(
            await code { try await manager.changePIN(from: pin(Customer.pin), to: pin("5678")) }
                != nil)
        try await manager.validatePIN(pin(Customer.pin))
    }

    @Test func `a new PIN that is too short is refused before anything is sent`() async throws {
        #expect(
            await code { try await manager.changePIN(from: pin(Customer.pin), to: pin("123")) }
                == .verificationFailed)
        #expect(await phone.calls(.validation) == 0)
    }

    // MARK: The rest

    @Test func `biometry is given up on the device alone`() async throws {
        #expect(try await !manager.hasBiometry())
        let finger = Secret(Array(repeating: 9, count: 16))
        await phone.customer.lay(finger: finger)
        let other = try await phone.activated()
        let manager = try phone.manager(other)
        #expect(try await manager.hasBiometry())
        try await manager.removeBiometry()
        #expect(try await !manager.hasBiometry())
        #expect(
            await code { try await phone.validate(.biometry(finger), of: other) }
                == .verificationFailed)
        try await manager.validatePIN(pin(Customer.pin))
    }

    @Test func `the status is told as the server tells it`() async throws {
        await phone.simulator.configure { $0.customObject = ["note": "hello"] }
        _ = await code { try await manager.validatePIN(pin("9999")) }
        let status = try await manager.status()
        #expect(status.state == .active)
        #expect(status.failedAttempts == 1)
        #expect(status.maximumAttempts == 5)
        #expect(status.remainingAttempts == 4)
        #expect(status.customObject?["note"] == "hello")
        await phone.simulator.spoil(by: .randomBlob, at: .status, times: 2)
        #expect(try await manager.status().state == .unknown)
        try await phone.simulator.remove(id.name)
        #expect(try await manager.status().state == .removed)
    }

    @Test func `the server's time is asked for and kept`() async throws {
        phone.clock.set(Date(timeIntervalSince1970: 0))
        let time = try await manager.synchronizeTime()
        #expect(time == phone.bank.clock.now)
        let known = try #require(await phone.provider.channel.knownTime())
        #expect(abs(known.timeIntervalSince(phone.bank.clock.now)) <= 1)
    }

    @Test func `a removal that isn't told asks nobody`() async throws {
        let asked = await phone.customer.requests.count
        let sent = await phone.transport.exchanges.count
        try await manager.removeLocally()
        #expect(try await phone.authenticator.enrollment(id) == nil)
        #expect(await phone.customer.requests.count == asked)
        #expect(await phone.transport.exchanges.count == sent)
        #expect(try await phone.simulator.activation(id.name).state == .active)
    }

    @Test func `a removal that isn't told and fails leaves all as it was`() async throws {
        await phone.disk.refuseWrites { _ in PushError(.storage, "Full.") }
        #expect(await code { try await manager.removeLocally() } == .storage)
        await phone.disk.refuseWrites { _ in nil }
        #expect(try await phone.state(id) == .active)
        // It doesn't turn a later removal into one that isn't told.
        try await phone.authenticator.remove(id)
        #expect(try await phone.simulator.activation(id.name).state == .removed)
    }

    @Test func `a manager is of its own provider's activations alone`() throws {
        let error = #expect(throws: PushError.self) {
            try phone.manager(Enrollment.ID(id.name, of: "other"))
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `the fingerprint is the server's`() async throws {
        let known = try await phone.simulator.activation(id.name).fingerprint
        #expect(try await manager.fingerprint() == known)
    }
}

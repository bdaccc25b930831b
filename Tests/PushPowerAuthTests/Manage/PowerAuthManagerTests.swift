import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct PowerAuthManagerTests {
    let handset: Handset
    let id: Enrollment.ID
    let manager: PowerAuthManager

    init() async throws {
        handset = try await Handset()
        id = try await handset.activated()
        manager = try handset.manager(id)
    }

    private func pin(_ text: String) -> Secret { Secret(text.utf8) }

    // MARK: The PIN

    @Test func `the right PIN is right, and a wrong one counts`() async throws {
        try await manager.validatePIN(pin("1234"))
        #expect(await attemptsLeft { try await manager.validatePIN(pin("9999")) } == 4)
        #expect(await attemptsLeft { try await manager.validatePIN(pin("9998")) } == 3)
        try await manager.validatePIN(pin("1234"))
        #expect(try await handset.simulator.activation(id.name).failedAttempts == 0)
    }

    @Test func `a wrong PIN is sent once`() async throws {
        _ = await code { try await manager.validatePIN(pin("9999")) }
        #expect(await handset.calls(.validation) == 1)
    }

    @Test func `the last wrong PIN blocks, and nothing more is sent`() async throws {
        for _ in 0..<4 { _ = await code { try await manager.validatePIN(pin("9999")) } }
        #expect(await code { try await manager.validatePIN(pin("9999")) } == .blocked)
        guard case .blocked? = try await handset.state(id) else {
            Issue.record("The state isn't on record.")
            return
        }
        #expect(await code { try await manager.validatePIN(pin("1234")) } == .blocked)
        #expect(await handset.calls(.validation) == 5)
        #expect(try await manager.status().state == .blocked)

        try await handset.simulator.unblock(id.name)
        try await manager.validatePIN(pin("1234"))
    }

    @Test func `a refusal whose reason can't be asked for isn't taken for a wrong PIN`()
        async throws
    {
        await handset.fail(.status, .refuse)
        #expect(
            await code { try await manager.validatePIN(pin("9999")) } == .server(status: 401))
    }

    @Test func `a new PIN takes the old one's place, under a fresh salt`() async throws {
        let before = try #require(try await handset.record(id).locked?.knowledge)
        try await manager.changePIN(from: pin("1234"), to: pin("567890"))
        let after = try #require(try await handset.record(id).locked?.knowledge)
        #expect(before.salt != after.salt)
        try await manager.validatePIN(pin("567890"))
        #expect(await attemptsLeft { try await manager.validatePIN(pin("1234")) } == 4)
    }

    @Test func `a wrong old PIN changes nothing`() async throws {
        let before = try await handset.record(id).locked?.knowledge
        #expect(
            await attemptsLeft {
                try await manager.changePIN(from: pin("9999"), to: pin("5678"))
            } == 4)
        let after = try await handset.record(id).locked?.knowledge
        #expect(before?.salt == after?.salt)
        try await manager.validatePIN(pin("1234"))
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropAfter, .status(500)])
    func `without the server's word on the old PIN nothing changes`(
        _ fault: FaultPlan.Fault
    ) async throws {
        await handset.fail(.validation, fault)
        #expect(
            await code { try await manager.changePIN(from: pin("1234"), to: pin("5678")) } != nil)
        try await manager.validatePIN(pin("1234"))
    }

    @Test func `a new PIN that is too short is refused before anything is sent`() async throws {
        #expect(
            await code { try await manager.changePIN(from: pin("1234"), to: pin("123")) }
                == .verificationFailed)
        #expect(await handset.calls(.validation) == 0)
    }

    // MARK: The rest

    @Test func `biometry is given up on the device alone`() async throws {
        #expect(try await !manager.hasBiometry())
        let finger = Secret(Array(repeating: 9, count: 16))
        await handset.keypad.lay(finger: finger)
        let other = try await handset.activated()
        let manager = try handset.manager(other)
        #expect(try await manager.hasBiometry())
        try await manager.removeBiometry()
        #expect(try await !manager.hasBiometry())
        #expect(
            await code { try await handset.validate(.biometry(finger), of: other) }
                == .verificationFailed)
        try await manager.validatePIN(pin("1234"))
    }

    @Test func `the status is told as the server tells it`() async throws {
        await handset.simulator.configure { $0.customObject = ["note": "hello"] }
        _ = await code { try await manager.validatePIN(pin("9999")) }
        let status = try await manager.status()
        #expect(status.state == .active)
        #expect(status.failedAttempts == 1)
        #expect(status.maximumAttempts == 5)
        #expect(status.remainingAttempts == 4)
        #expect(status.customObject?["note"] == "hello")
        await handset.simulator.spoil(by: .randomBlob, at: .status, times: 2)
        #expect(try await manager.status().state == .unknown)
        try await handset.simulator.remove(id.name)
        #expect(try await manager.status().state == .removed)
    }

    @Test func `the server's time is asked for and kept`() async throws {
        handset.clock.set(Date(timeIntervalSince1970: 0))
        let time = try await manager.synchronizeTime()
        #expect(time == handset.serverClock.now)
        let known = try #require(await handset.provider.channel.knownTime())
        #expect(abs(known.timeIntervalSince(handset.serverClock.now)) <= 1)
    }

    @Test func `a removal that isn't told asks nobody`() async throws {
        let asked = await handset.keypad.requests.count
        let sent = await handset.transport.exchanges.count
        try await manager.removeLocally()
        #expect(try await handset.authenticator.enrollment(id) == nil)
        #expect(await handset.keypad.requests.count == asked)
        #expect(await handset.transport.exchanges.count == sent)
        #expect(try await handset.simulator.activation(id.name).state == .active)
    }

    @Test func `a removal that isn't told and fails leaves all as it was`() async throws {
        await handset.store.refuseWrites { _ in PushError(.storage, "Full.") }
        #expect(await code { try await manager.removeLocally() } == .storage)
        await handset.store.refuseWrites { _ in nil }
        #expect(try await handset.state(id) == .active)
        // It doesn't turn a later removal into one that isn't told.
        try await handset.authenticator.remove(id)
        #expect(try await handset.simulator.activation(id.name).state == .removed)
    }

    @Test func `a manager is of its own provider's activations alone`() throws {
        let error = #expect(throws: PushError.self) {
            try handset.manager(Enrollment.ID(id.name, of: "other"))
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `the fingerprint is the server's`() async throws {
        let known = try await handset.simulator.activation(id.name).fingerprint
        #expect(try await manager.fingerprint() == known)
    }
}

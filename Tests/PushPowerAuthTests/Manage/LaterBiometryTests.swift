import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// Biometry that comes after the activation, and a PIN that the server checks.
@Suite struct LaterBiometryTests {
    let bank = Bank()
    let phone: PowerAuthHarness
    let id: Enrollment.ID
    let manager: PowerAuthManager

    private static let finger = Secret(Array(repeating: 0x77, count: 32))

    init() async throws {
        phone = try await PowerAuthHarness(of: bank)
        id = try await phone.activated()
        manager = try phone.manager(id)
    }

    @Test func `it is added, replaced and removed`() async throws {
        #expect(try await !manager.hasBiometry())
        await phone.customer.lay(finger: Customer.finger)
        try await manager.addBiometry()
        #expect(await bank.simulator.unlockReasons == ["ADD_BIOMETRY"])
        try await phone.validate(.biometry(Customer.finger), of: id)

        await phone.customer.lay(finger: Self.finger)
        try await manager.addBiometry()
        try await phone.validate(.biometry(Self.finger), of: id)
        #expect(
            await attemptsLeft {
                try await phone.validate(.biometry(Customer.finger), of: id)
            } == 4)

        let locked = try #require(try await phone.record(id).locked?.biometry)
        try await manager.removeBiometry()
        #expect(try await !manager.hasBiometry())
        #expect(try await !phone.disk.holds(locked.copy))
        #expect(
            await code { try await phone.validate(.biometry(Self.finger), of: id) }
                == .verificationFailed)
    }

    @Test func `whoever gives up, has no finger or a short secret changes nothing`() async throws {
        #expect(await code { try await manager.addBiometry() } == .cancelled)
        await phone.customer.lay(finger: Secret([1, 2, 3]))
        #expect(await code { try await manager.addBiometry() } == .verificationFailed)
        await phone.customer.leave()
        #expect(await code { try await manager.addBiometry() } == .cancelled)
        #expect(await phone.calls(.vault) == 0)
        #expect(try await !manager.hasBiometry())
    }

    @Test func `a wrong PIN sets up nothing, and counts`() async throws {
        await phone.customer.lay(finger: Customer.finger)
        await phone.customer.type("9999")
        #expect(await attemptsLeft { try await manager.addBiometry() } == 4)
        #expect(try await !manager.hasBiometry())
    }

    @Test func `a record that can't be written stays as it was`() async throws {
        await phone.customer.lay(finger: Customer.finger)
        let disk = phone.disk
        await phone.disk.die(.init(write: 1, isAfter: false))
        #expect(await code { try await manager.addBiometry() } == .storage)
        await disk.die(nil)
        let again = try await phone.restarted()
        #expect(try await !again.manager(id).hasBiometry())
        try await again.manager(id).validatePIN(Secret(copying: Customer.pin))
    }

    @Test(arguments: [false, true])
    func `death while adding biometry or changing the PIN leaves a whole activation`(
        _ isAfter: Bool
    ) async throws {
        let (old, new) = (Secret(copying: Customer.pin), Secret(copying: "567890"))
        for write in 0..<12 {
            let bank = Bank()
            let phone = try await PowerAuthHarness(
                of: bank, customer: Customer(finger: Customer.finger))
            let id = try await phone.activated()
            await phone.disk.die(.init(write: write, isAfter: isAfter))
            _ = try? await phone.manager(id).addBiometry()
            _ = try? await phone.manager(id).changePIN(from: old, to: new)
            let died = await phone.disk.isDead
            let again = try await phone.restarted()
            try await again.validate(.biometry(Customer.finger), of: id)
            let isOld = await code { try await again.manager(id).validatePIN(old) } == nil
            let isNew = await code { try await again.manager(id).validatePIN(new) } == nil
            #expect(isOld != isNew, "write \(write)")
            let counters = await bank.counters(of: id)
            #expect(Set(counters).count == counters.count, "write \(write)")
            if !died { return }
        }
        Issue.record("It has no end.")
    }

    @Test(arguments: [FaultPlan.Fault.dropAfter, .dropBefore])
    func `a check of the PIN whose reply is lost changes nothing, and is asked about`(
        _ fault: FaultPlan.Fault
    ) async throws {
        await phone.fail(.validation, fault)
        let asked = await phone.calls(.status)
        let (old, new) = (Secret(copying: Customer.pin), Secret(copying: "567890"))
        #expect(await code { try await manager.changePIN(from: old, to: new) } == .interrupted)
        #expect(await phone.calls(.status) == asked + 1)
        try await manager.changePIN(from: old, to: new)
        try await manager.validatePIN(new)
    }

    @Test func `a request waits for a change of the PIN, and isn't signed with half of it`()
        async throws
    {
        await bank.opensServices()
        let (phone, id, manager) = (phone, id, manager)
        let (old, new) = (Secret(copying: Customer.pin), Secret(copying: "567890"))
        async let change: Void = manager.changePIN(from: old, to: new)
        async let sent = code { try await phone.signed(by: .pin(old), of: id) }
        try await change
        let refused = await sent
        // Before the change it was right, after it it's a wrong PIN, which the server counts.
        if refused != nil { #expect(try await bank.record(id).failedAttempts == 1) }
        try await phone.signed(by: .pin(new), of: id)
    }
}

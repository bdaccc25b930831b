import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

/// Activations of the vendor's SDK that go on here: `docs/vendors/powerauth.md#moving-in`.
@Suite struct ImportTests {
    let bank = Bank()

    /// The phone with the vendor's SDK; it signs as that would.
    private let old: PowerAuthHarness
    private let id: Enrollment.ID

    /// The same phone with ours.
    private let phone: PowerAuthHarness

    init() async throws {
        old = try await PowerAuthHarness(of: bank, customer: Customer(finger: Customer.finger))
        id = try await old.activated()
        phone = try await PowerAuthHarness(of: bank, customer: Customer(finger: Customer.finger))
        await phone.customer.prefer(finger: false)
    }

    private func state() async throws -> VendorState { try await VendorState(of: old, id) }

    @discardableResult
    private func moveIn(
        _ record: PowerAuthVendorRecord
    ) async throws -> PowerAuthImportReport.Entry {
        let report = await phone.provider.importEnrollments(from: [record])
        return try #require(report.entries.first)
    }

    /// Has the old phone make signatures, of which none arrives.
    private func signInVain(_ times: Int) async throws {
        for _ in 0..<times {
            try await old.takeCounter(of: id)
        }
    }

    // MARK: What goes on

    @Test(arguments: PowerAuthVersion.allCases)
    func `the activation goes on with the same PIN and finger, and nothing was sent for it`(
        _ version: PowerAuthVersion
    ) async throws {
        let customer = Customer(finger: Customer.finger)
        let phone = try await PowerAuthHarness(of: bank, customer: customer) {
            $0.version = version
        }
        await customer.prefer(finger: false)
        let sent = await bank.simulator.exchanges.count
        let report = await phone.provider.importEnrollments(from: [try await state().record()])
        #expect(report.isComplete)
        #expect(report.taken.map(\.id) == [id])
        #expect(report.entries.first?.remarks == [])
        #expect(await bank.simulator.exchanges.count == sent)
        #expect(
            try await phone.manager(id).fingerprint() == bank.record(id).fingerprint)

        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        await customer.prefer(finger: true)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
        let vault = try phone.manager(id).vault
        let data = Data("contract".utf8)
        let der = try await vault.signature(over: data, by: .pin(Customer.pin))
        let key = try P256.Signing.PublicKey(
            x963Representation: try #require(await bank.simulator.deviceKey(of: id.name)))
        #expect(key.isValidSignature(try .init(derRepresentation: der), for: data))
        let used = await bank.counters(of: id)
        #expect(Set(used).count == used.count)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test(arguments: [true, false])
    func `the server's key may have 33 bytes or 65, and an old flag changes nothing`(
        isCompressed: Bool
    ) async throws {
        var state = try await state()
        state.compressesServerKey = isCompressed
        state.flags |= 1
        #expect(try await moveIn(try state.record()).remarks == [])
        #expect(try await phone.manager(id).fingerprint() == bank.record(id).fingerprint)
        try await phone.validate(.pin(Customer.pin), of: id)
    }

    @Test func `a wrong PIN is still wrong, and costs an attempt`() async throws {
        try await moveIn(try await state().record())
        #expect(
            await attemptsLeft { try await phone.validate(.pin("9999"), of: id) } == 4)
        try await phone.validate(.pin(Customer.pin), of: id)
    }

    @Test func `the server learns the device's token again`() async throws {
        try await phone.authenticator.deviceTokenChanged(.fcm("moved"))
        try await moveIn(try await state().record())
        try await phone.authenticator.resume()
        #expect(try await bank.record(id).deviceToken == .fcm("moved"))
    }

    @Test func `a PIN can be changed, and the vendor's rounds give way to ours`() async throws {
        try await moveIn(try await state().record())
        #expect(try await phone.record(id).locked?.knowledge.salt == VendorState.salt)
        try await phone.manager(id).changePIN(
            from: Secret(copying: Customer.pin), to: Secret(copying: "24681357"))
        #expect(try await phone.record(id).locked?.knowledge.salt != VendorState.salt)
        try await phone.validate(.pin("24681357"), of: id)
    }

    // MARK: The counter

    /// How many signatures the server hasn't seen, of records with and without a known byte.
    private static let leads = [0, 1, 7, 12, 18].flatMap { lead in
        ["6", "5", "4", "6 without a valid byte"].map { (lead, $0) }
    }

    @Test(arguments: leads)
    func `the state is asked for before the first signature, and none is lost`(
        lead: Int, version: String
    ) async throws {
        try await signInVain(lead)
        var state = try await state()
        state.version = try #require(version.utf8.first)
        if version.count > 1 || state.version != UInt8(ascii: "6") { state.flags = 0 }
        try await moveIn(try state.record())
        #expect(try await phone.record(id).counter.data.array == Array(state.counter))
        try await phone.validate(.pin(Customer.pin), of: id)
        #expect(try await bank.record(id).failedAttempts == 0)
        let record = try await phone.record(id)
        #expect(record.knowsCounterByte)
        #expect(
            record.counter.byte
                == UInt8(truncatingIfNeeded: try #require(try await bank.record(id).counter)))
    }

    @Test(arguments: ["6", "4"])
    func `a record that is older than the server's counter follows it`(
        _ version: String
    ) async throws {
        var before = try await state()
        before.version = try #require(version.utf8.first)
        for _ in 0..<5 { try await old.validate(.pin(Customer.pin), of: id) }
        try await moveIn(try before.record())
        try await phone.validate(.pin(Customer.pin), of: id)
        #expect(try await bank.record(id).failedAttempts == 0)
    }

    @Test func `an activation that was never committed is told as pending once it's asked`()
        async throws
    {
        let id = try await old.enroll().id
        try await moveIn(try await VendorState(of: old, id).record())
        guard case .pending = try await phone.authenticator.refresh(id).state else {
            Issue.record("It isn't committed.")
            return
        }
    }

    // MARK: What is left, and what is said of it

    @Test func `a finger whose key isn't handed over is reported, and can be set up again`()
        async throws
    {
        let entry = try await moveIn(try await state().record(fingerKey: nil))
        #expect(entry.remarks == [.biometryLeft])
        #expect(try await !phone.manager(id).hasBiometry())
        try await phone.manager(id).addBiometry()
        await phone.customer.prefer(finger: true)
        #expect(try await phone.approve(try await bank.ask(), at: id) == .delivered)
    }

    @Test func `without a finger nothing is remarked, and its key isn't needed`() async throws {
        var state = try await state()
        state.hasBiometry = false
        #expect(try await moveIn(try state.record()).remarks == [])
        #expect(try await !phone.manager(id).hasBiometry())
    }

    @Test func `an external key is taken off, and then isn't needed any more`() async throws {
        var state = try await state()
        state.flags |= VendorState.usesExternalKey
        let entry = try await moveIn(try state.record(externalKey: VendorState.externalKey))
        #expect(entry.remarks == [.externalKeyRemoved])
        try await phone.validate(.pin(Customer.pin), of: id)
        try await phone.validate(.biometry(Customer.finger), of: id)
    }

    @Test(arguments: [1, 127, 128, 300])
    func `a recovery code is left behind, and said to be`(_ size: Int) async throws {
        var state = try await state()
        state.recovery = Data(repeating: 7, count: size)
        let entry = try await moveIn(try state.record())
        #expect(entry.remarks == [.recoveryLeft])
        try await phone.validate(.pin(Customer.pin), of: id)
    }

    // MARK: Twice

    @Test func `a second import changes nothing, however far the counter went`() async throws {
        let record = try await state().record()
        try await moveIn(record)
        try await phone.validate(.pin(Customer.pin), of: id)
        let before = try await phone.disk.contents
        let entry = try await moveIn(record)
        guard case .known(id) = entry.result else {
            Issue.record("It was taken before.")
            return
        }
        #expect(try await phone.disk.contents == before)
    }

    @Test func `of two processes that import at once, one takes it and the other knows it`()
        async throws
    {
        let record = try await state().record()
        let other = try await phone.another()
        async let first = phone.provider.importEnrollments(from: [record])
        async let second = other.provider.importEnrollments(from: [record])
        let reports = await [first, second]
        #expect(reports.filter(\.isComplete).count == 2)
        #expect(reports.flatMap(\.taken).map(\.id) == [id])
        #expect(try await phone.authenticator.enrollments().map(\.id) == [id])
    }

    @Test(arguments: [true, false])
    func `a phone that dies as it is written imports it again`(isAfter: Bool) async throws {
        let record = try await state().record()
        await phone.disk.die(.init(write: 0, isAfter: isAfter))
        #expect(await !phone.provider.importEnrollments(from: [record]).isComplete)
        let next = try await phone.restarted()
        let report = await next.provider.importEnrollments(from: [record])
        #expect(report.isComplete)
        #expect(report.taken.isEmpty == isAfter)
        try await next.validate(.pin(Customer.pin), of: id)
    }

    // MARK: The move of `docs/guides/porting-powerauth.md`

    /// Takes the old SDK's activation over, and says whether its items may go.
    func moveIn(
        _ record: PowerAuthVendorRecord, to provider: PowerAuth,
        _ authenticator: PushAuthenticator
    ) async throws(PushError) -> Bool {
        let report = await provider.importEnrollments(from: [record])
        for enrollment in report.taken {
            // Sets the counter right; it is done before the first signature anyway.
            _ = try await authenticator.refresh(enrollment.id)
        }
        return report.isComplete
    }

    @Test func `the guide's move ends with an activation whose counter is right`() async throws {
        try await signInVain(3)
        let record = try await state().record()
        #expect(try await moveIn(record, to: phone.provider, phone.authenticator))
        #expect(try await phone.record(id).ahead == 3)
        #expect(try await phone.state(id) == .active)
    }
}

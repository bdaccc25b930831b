import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// A phone of a bank's customer: all of it is real but the servers, the time and the storage.
struct Mobile: Sendable {
    let bank: Bank
    let disk: Disk
    let clock: ManualClock
    let customer: Customer
    let faults: FaultPlan
    let observer: RecordingObserver
    let random: DrawnBytes
    let transport: SimulatedTransport
    let provider: PowerAuth
    let authenticator: PushAuthenticator
    private let change: @Sendable (inout PowerAuthConfiguration) -> Void

    /// - Parameters:
    ///   - bank: Whose customer it is.
    ///   - disk: Its storage.
    ///   - skew: How far its clock is ahead of the bank's, in seconds.
    ///   - customer: Who holds it.
    ///   - random: Its chance; its own if `nil`.
    ///   - process: The name of the process, which takes over what an earlier one of that name left.
    ///   - clock: What it goes by; one of its own if `nil`.
    ///   - change: What the app has chosen.
    /// - Throws: What opening its store throws.
    init(
        of bank: Bank, disk: Disk = Disk(), skew: TimeInterval = 0,
        customer: Customer = Customer(), random: (any RandomSource)? = nil,
        process: String = "app", clock: ManualClock? = nil,
        _ change: @escaping @Sendable (inout PowerAuthConfiguration) -> Void = { _ in }
    ) async throws {
        (self.bank, self.disk, self.customer, self.change) = (bank, disk, customer, change)
        self.clock = clock ?? ManualClock(bank.clock.now + skew)
        faults = FaultPlan()
        observer = RecordingObserver()
        self.random = DrawnBytes(seed: .random(in: 0 ... .max))
        transport = SimulatedTransport(to: bank.simulator, faults: faults)
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await bank.simulator.sdkConfiguration,
            enrollmentServer: Endpoint(await bank.simulator.origin))
        // Key stretching costs the tests little.
        configuration.pinIterations = 10
        change(&configuration)
        let environment = Environment(
            transport: disk.guarded(transport), store: disk, verifier: customer, clock: self.clock,
            random: random ?? self.random, device: Device(name: "Petra's phone", platform: .apple),
            observer: observer)
        provider = PowerAuth(configuration: configuration, in: environment)
        var policies = Policies()
        policies.instance = process
        policies.bursts = .off
        policies.asksAfterPush = false
        // Nothing is tried in the background, so that a test sees each call where it makes it.
        policies.backoff.tries = 0
        policies.hintInterval = .zero
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, policies: policies)
    }

    /// The same phone after the app was killed: nothing is in memory, and time went on.
    func restarted() async throws -> Mobile {
        await disk.revive()
        let later = ManualClock(clock.now)
        later.advance(by: clock.elapsed)
        later.set(clock.now)
        return try await Mobile(
            of: bank, disk: disk, customer: customer, clock: later, change)
    }

    /// Another process on the same phone at the same time.
    func another() async throws -> Mobile {
        try await Mobile(
            of: bank, disk: disk, skew: clock.now.timeIntervalSince(bank.clock.now),
            customer: customer, process: "extension", change)
    }

    /// Lets time pass, here and at the bank.
    func pass(_ seconds: Int) {
        clock.advance(by: .seconds(seconds))
        bank.clock.advance(by: .seconds(seconds))
    }

    // MARK: Enrolling

    @discardableResult
    func enroll(_ invitation: Invitation? = nil) async throws -> Enrollment {
        let made =
            if let invitation { invitation } else {
                try await bank.simulator.invitation(for: Bank.user)
            }
        let offers = try authenticator.offers(for: made)
        guard let offer = offers.first else { throw PushError(.notFound, "Nobody's invitation.") }
        return try await authenticator.enroll(offer)
    }

    /// An activation that the bank has committed.
    func activated(token: DeviceToken? = nil) async throws -> Enrollment.ID {
        if let token { try await authenticator.deviceTokenChanged(token) }
        let id = try await enroll().id
        try await bank.simulator.commit(id.name)
        let state = try await authenticator.refresh(id).state
        #expect(state == .active)
        try await authenticator.resume()
        return id
    }

    func state(_ id: Enrollment.ID) async throws -> Enrollment.State? {
        try await authenticator.enrollment(id)?.state
    }

    // MARK: Messages

    /// Takes the bank's pushes as the app would.
    @discardableResult
    func deliver() async throws -> [Reception] {
        var receptions: [Reception] = []
        for push in await bank.simulator.takePushes() {
            receptions += try await authenticator.receive(push.message())
        }
        return receptions
    }

    // MARK: Operations

    /// Finds what waits, and opens an operation.
    func open(_ operation: String, at id: Enrollment.ID) async throws -> Challenge {
        _ = try await authenticator.pending(for: id)
        return try await authenticator.challenge(Challenge.ID(operation, of: id))
    }

    @discardableResult
    func approve(
        _ operation: String, at id: Enrollment.ID, extras: (any Sendable)? = nil
    ) async throws -> Outcome {
        let challenge = try await open(operation, at: id)
        return try await authenticator.resolve(challenge, with: .approve, extras: extras)
    }

    func ledger(_ operation: String, at id: Enrollment.ID) async throws -> ChallengeRecord.State? {
        try await authenticator.record(of: Challenge.ID(operation, of: id))?.state
    }

    /// Makes the next exchange of a call go wrong.
    func fail(_ call: Bank.Call, _ fault: FaultPlan.Fault, times: Int = 1) async {
        for _ in 0..<times { await faults.next(fault) { $0.path == call.rawValue } }
    }

    // MARK: The vendor's door

    func manager(_ id: Enrollment.ID) throws -> PowerAuthManager {
        try PowerAuthManager(authenticator, provider: provider, enrollment: id)
    }

    func inbox(_ id: Enrollment.ID) throws -> PowerAuthInbox {
        try PowerAuthInbox(authenticator, provider: provider, enrollment: id)
    }
}

extension Secret {
    var array: [UInt8] { withBytes { Array($0) } }
}

import Foundation
import HTTPTypes
import PushCore
import PushPowerAuth
import PushPowerAuthSimulator
import PushTesting
import Testing

/// The plugin on a phone of a bank's customer: all of it is real but the servers, the time and the
/// storage.
struct PowerAuthHarness: ProviderHarness {
    /// What may be another than usual.
    struct Setup: Sendable {
        var disk = Disk()

        /// How far the phone's clock is ahead of the bank's, in seconds.
        var skew: TimeInterval = 0
        var customer = Customer()

        /// Chance; the phone's own if `nil`.
        var random: (any RandomSource)?

        /// The name of the process, which takes over what an earlier one of that name left.
        var process = "app"

        /// What the phone goes by; a clock of its own if `nil`.
        var clock: ManualClock?

        /// What drops the plugin's caches at each call out of it.
        var dropper: CacheDropper?

        /// What the app has chosen.
        var change: @Sendable (inout PowerAuthConfiguration) -> Void = { _ in }
    }

    let bank: Bank
    let clock: ManualClock
    let faults: FaultPlan
    let gateway: Gateway
    let observer: RecordingObserver
    let random: DrawnBytes
    let transport: SimulatedTransport
    let environment: PushEnvironment
    let provider: PowerAuth
    let authenticator: PushAuthenticator
    private let setup: Setup

    var disk: Disk { setup.disk }
    var customer: Customer { setup.customer }
    var simulator: PowerAuthSimulator { bank.simulator }

    /// - Throws: What opening its store throws.
    init(of bank: Bank = Bank(), setup: Setup) async throws {
        (self.bank, self.setup) = (bank, setup)
        clock = setup.clock ?? ManualClock(bank.clock.now + setup.skew)
        faults = FaultPlan()
        gateway = Gateway()
        observer = RecordingObserver()
        random = DrawnBytes(seed: .random(in: 0 ... .max))
        transport = gateway.transport(to: bank.simulator, faults: faults)
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await bank.simulator.sdkConfiguration,
            enrollmentServer: Endpoint(await bank.simulator.origin))
        // Key stretching costs the tests little.
        configuration.pinIterations = 10
        setup.change(&configuration)
        let (network, dropper) = (setup.disk.guarded(transport), setup.dropper)
        environment = PushEnvironment(
            transport: dropper.map { DroppingTransport(network, $0) } ?? network,
            store: dropper.map { DroppingStore(setup.disk, $0) } ?? setup.disk,
            verifier: dropper.map { DroppingUser(setup.customer, $0) } ?? setup.customer,
            clock: clock, random: setup.random ?? random, device: Self.device, observer: observer)
        provider = PowerAuth(configuration: configuration, in: environment)
        var policies = PushConfiguration()
        policies.instance = setup.process
        policies.bursts = .off
        policies.asksAfterPush = false
        // Nothing is tried in the background, so that a test sees each call where it makes it.
        policies.backoff.tries = 0
        policies.hintInterval = .zero
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: policies)
    }

    /// - Throws: What opening its store throws.
    init(
        of bank: Bank = Bank(), disk: Disk = Disk(), skew: TimeInterval = 0,
        customer: Customer = Customer(),
        _ change: @escaping @Sendable (inout PowerAuthConfiguration) -> Void = { _ in }
    ) async throws {
        let setup = Setup(disk: disk, skew: skew, customer: customer, change: change)
        try await self.init(of: bank, setup: setup)
    }

    static let device = Device(name: "Petra's phone", platform: .apple)

    /// The same phone after the app was killed: nothing is in memory, and time went on.
    func restarted() async throws -> PowerAuthHarness {
        await disk.revive()
        let later = ManualClock(clock.now)
        later.advance(by: clock.elapsed)
        later.set(clock.now)
        let setup = Setup(disk: disk, customer: customer, clock: later, change: setup.change)
        return try await PowerAuthHarness(of: bank, setup: setup)
    }

    /// Another process on the same phone at the same time.
    func another() async throws -> PowerAuthHarness {
        let skew = clock.now.timeIntervalSince(bank.clock.now)
        let setup = Setup(
            disk: disk, skew: skew, customer: customer, process: "extension",
            change: setup.change)
        return try await PowerAuthHarness(of: bank, setup: setup)
    }

    /// The plugin in another process of the same phone, alone, over the phone's network if no other
    /// is given.
    func anotherProvider(over transport: (any Transport)? = nil) -> PowerAuth {
        PowerAuth(
            configuration: provider.configuration,
            in: PushEnvironment(
                transport: transport ?? self.transport, store: disk, verifier: customer,
                clock: clock, random: random, device: Self.device, observer: observer))
    }

    /// Lets time pass, here and at the bank.
    func pass(_ seconds: Int) {
        clock.advance(by: .seconds(seconds))
        bank.clock.advance(by: .seconds(seconds))
    }

    // MARK: Enrolling

    /// Scans an invitation.
    @discardableResult
    func enroll(_ invitation: Invitation) async throws -> Enrollment {
        let offers = try authenticator.offers(for: invitation)
        guard let offer = offers.first else { throw PushError(.notFound, "Nobody's invitation.") }
        return try await authenticator.enroll(offer)
    }

    /// Scans a new invitation.
    @discardableResult
    func enroll() async throws -> Enrollment {
        try await enroll(await simulator.invitation(for: Bank.user))
    }

    /// An activation that the bank has committed.
    func activated(token: DeviceToken? = nil) async throws -> Enrollment.ID {
        if let token { try await authenticator.deviceTokenChanged(token) }
        let id = try await enroll().id
        try await simulator.commit(id.name)
        let state = try await authenticator.refresh(id).state
        #expect(state == .active)
        if token != nil { try await authenticator.resume() }
        return id
    }

    static func active() async throws -> (phone: PowerAuthHarness, id: Enrollment.ID) {
        let phone = try await PowerAuthHarness()
        return (phone, try await phone.activated())
    }

    /// A phone whose user has set up a finger, too.
    static func withFinger() async throws -> (phone: PowerAuthHarness, id: Enrollment.ID) {
        let phone = try await PowerAuthHarness(customer: Customer(finger: Customer.finger))
        return (phone, try await phone.activated())
    }

    /// An activation as it is on record now.
    func account(_ id: Enrollment.ID) async throws(PushError) -> Account {
        try await accounts.existing(id)
    }

    func state(_ id: Enrollment.ID) async throws -> Enrollment.State? {
        try await authenticator.enrollment(id)?.state
    }

    // MARK: The vendor's door

    func manager(_ id: Enrollment.ID) throws -> PowerAuthManager {
        try PowerAuthManager(authenticator, provider: provider, enrollment: id)
    }

    func inbox(_ id: Enrollment.ID) throws -> PowerAuthInbox {
        try manager(id).inbox
    }
}

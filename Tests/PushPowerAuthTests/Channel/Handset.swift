import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting

@testable import PushPowerAuth

/// A device with PowerAuth, its user, and the server it talks to, each with a clock of its own.
struct Handset {
    let simulator: PowerAuthSimulator
    let serverClock: ManualClock
    let clock: ManualClock
    let faults: FaultPlan
    let gateway: Gateway
    let transport: SimulatedTransport
    let store: InMemoryStore
    let keypad: Keypad
    let random: RememberedRandom
    let observer: RecordingObserver
    let provider: PowerAuth
    let authenticator: PushAuthenticator

    /// - Parameters:
    ///   - skew: How much the device's clock is ahead of the server's.
    ///   - store: The device's storage.
    ///   - dropper: What drops the plugin's caches at each call out of it.
    ///   - change: What the app chooses.
    /// - Throws: What enrolling it throws.
    init(
        skew: TimeInterval = 0, store: InMemoryStore = InMemoryStore(),
        dropping dropper: CacheDropper? = nil,
        _ change: (inout PowerAuthConfiguration) -> Void = { _ in }
    ) async throws {
        let start = Date(timeIntervalSince1970: 1_780_000_000)
        serverClock = ManualClock(start)
        clock = ManualClock(start + skew)
        simulator = PowerAuthSimulator(
            .init(clock: serverClock, random: SeededRandom(seed: 7)))
        faults = FaultPlan()
        gateway = Gateway()
        transport = gateway.transport(to: simulator, faults: faults)
        self.store = store
        keypad = Keypad()
        random = RememberedRandom()
        observer = RecordingObserver()
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await simulator.sdkConfiguration,
            enrollmentServer: Endpoint(await simulator.origin))
        configuration.pinIterations = 3
        change(&configuration)
        var (network, records, user): (any Transport, any CredentialStore, any UserVerifier) = (
            transport, store, keypad
        )
        if let dropper {
            network = DroppingTransport(network, dropper)
            records = DroppingStore(records, dropper)
            user = DroppingUser(user, dropper)
        }
        let environment = Environment(
            transport: network, store: records, verifier: user, clock: clock, random: random,
            device: Device(name: "Petr's phone", platform: .apple), observer: observer)
        provider = PowerAuth(configuration: configuration, in: environment)
        var policies = Policies()
        policies.backoff.tries = 0
        // A test sees each call where it makes it. How questions are paced is a test of its own.
        policies.asksAfterPush = false
        policies.hintInterval = .zero
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, policies: policies)
    }

    /// Another process on the same store, with nothing in memory.
    var restarted: PowerAuth { provider(over: transport) }

    /// Another process on the same store, over another network.
    func provider(over transport: SimulatedTransport) -> PowerAuth {
        PowerAuth(
            configuration: provider.configuration,
            in: Environment(
                transport: transport, store: store, verifier: keypad, clock: clock, random: random,
                device: Device(name: "Petr's phone", platform: .apple), observer: observer))
    }

    /// Scans a new code of the simulator's.
    func enrolled() async throws -> Enrollment {
        try await enroll(try await simulator.invitation(for: "petr"))
    }

    func enroll(_ invitation: Invitation) async throws -> Enrollment {
        let offers = try authenticator.offers(for: invitation)
        guard let offer = offers.first else { throw PushError(.notFound, "Nobody's.") }
        return try await authenticator.enroll(offer)
    }

    /// Scans a new code, and has it committed.
    func activated() async throws -> Enrollment.ID {
        let id = try await enrolled().id
        try await simulator.commit(id.name)
        _ = try await authenticator.refresh(id)
        return id
    }

    func record(_ id: Enrollment.ID) async throws -> PowerAuthRecord {
        try PowerAuthRecord(try await provider.channel.vault.existing(id))
    }

    func state(_ id: Enrollment.ID) async throws -> Enrollment.State? {
        try await authenticator.enrollment(id)?.state
    }

    /// How often the server was called, and took it as a call.
    func calls(_ call: PowerAuthSimulator.Call) async -> Int {
        await transport.exchanges.count { $0.request.path == call.rawValue }
    }

    func manager(_ id: Enrollment.ID) throws -> PowerAuthManager {
        try PowerAuthManager(authenticator, provider: provider, enrollment: id)
    }

    /// Makes the next exchange of a call go wrong.
    func fail(_ call: PowerAuthSimulator.Call, _ fault: FaultPlan.Fault) async {
        await faults.next(fault) { $0.path == call.rawValue }
    }

    /// Has a signature checked, and says what came of it.
    func validate(_ factors: FactorKeys, of id: Enrollment.ID) async throws {
        try await provider.channel.validate(factors, of: id)
    }
}

extension FactorKeys {
    static func pin(_ text: String) -> FactorKeys { .pin(Secret(text.utf8)) }
}

/// What an error says, or nothing if there was none.
func code<Value>(of body: () async throws -> Value) async -> PushError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? PushError)?.code
    }
}

/// How many attempts are left, if an error says that a proof was wrong.
func attemptsLeft(_ body: () async throws -> Void) async -> Int? {
    guard case .notTaken(let refusal)? = await code(of: body), refusal.why == .verification,
        refusal.mayRetry
    else { return nil }
    return refusal.attemptsLeft
}

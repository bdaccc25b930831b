import Foundation
import HTTPTypes
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// One app: everything but the vendor is real, and the vendor says what the test wants.
struct PlusAuthHarness: ProviderHarness {
    let store: InMemoryStore
    let reads: CountingStore
    let clock: ManualClock
    let observer = RecordingObserver()
    let verifier: ScriptedVerifier
    let faults = FaultPlan()
    let server: ScriptedServer
    let transport: SimulatedTransport
    let environment: PushEnvironment
    let provider: PlusAuth
    let authenticator: PushAuthenticator

    /// Creates an app; its keys are ES256 unless a test wants others, as those are made quickly.
    init(
        _ configuration: PlusAuth.Configuration = .ec(), verifier: ScriptedVerifier = .willing(),
        platform: Device.Platform = .apple, name: String = WorkedExample.deviceName,
        random: any RandomSource = SystemRandom(), keys: AccountKeySource = .fresh,
        sharing other: PlusAuthHarness? = nil, dropping dropper: CacheDropper? = nil
    ) throws {
        store = other?.store ?? InMemoryStore()
        reads = CountingStore(store)
        let clock = other?.clock ?? ManualClock(WorkedExample.now)
        self.clock = clock
        self.verifier = verifier
        let server = ScriptedServer(TenantScript(clock: clock))
        self.server = server
        transport = SimulatedTransport(faults: faults) {
            await server.respond(to: $0, body: $1)
        }
        let (network, records) = (transport, reads)
        environment = PushEnvironment(
            transport: dropper.map { DroppingTransport(network, $0) } ?? network,
            store: dropper.map { DroppingStore(records, $0) } ?? records,
            verifier: dropper.map { DroppingUser(verifier, $0) } ?? verifier, clock: clock,
            random: random, device: Device(name: name, platform: platform), observer: observer)
        provider = PlusAuth(configuration: configuration, keys: keys, in: environment)
        authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
    }

    /// Joins what a code describes.
    @discardableResult
    func enroll(
        _ code: EnrollmentCode = EnrollmentCode(),
        token: DeviceToken? = .fcm(WorkedExample.deviceToken)
    ) async throws -> Enrollment {
        if let token { try await authenticator.deviceTokenChanged(token) }
        return try await enroll(.scanned(text: code.text))
    }

    /// A harness with one account.
    static func enrolled(
        _ configuration: PlusAuth.Configuration = .ec(), verifier: ScriptedVerifier = .willing(),
        code: EnrollmentCode = EnrollmentCode()
    ) async throws -> PlusAuthHarness {
        let harness = try PlusAuthHarness(configuration, verifier: verifier)
        try await harness.enroll(code)
        return harness
    }

    /// The enrollments that the server got.
    func enrollments() async -> [Posted] {
        await transport.exchanges.map(Posted.init).filter(\.isEnrollment)
    }

    /// What else the server got.
    func answers() async -> [Posted] {
        await transport.exchanges.map(Posted.init).filter { !$0.isEnrollment }
    }

    func lastAnswer() async throws -> Posted { try #require(await answers().last) }

    /// The key pair of the newest account.
    func key() async throws -> AccountKey { try #require(await enrollments().last).key() }

    /// The oldest account.
    func account() async throws -> Enrollment {
        try #require(await authenticator.enrollments().first)
    }

    /// Receives a push that must announce something, and opens it.
    func challenge(_ context: ContextJWT) async throws -> Challenge {
        try await challenge(context.message())
    }

    func challenge(_ message: PushMessage) async throws -> Challenge {
        let reception = try #require(await authenticator.receive(message).first)
        guard case .notice(let notice, _) = reception.kind else {
            Issue.record("It is \(reception.kind), not a notice.")
            throw NothingThrown()
        }
        return try await authenticator.challenge(notice.id)
    }

    /// The decision that is on record for a challenge and waits to be sent; `nil` if none does.
    func decision(on challenge: Challenge) async throws -> Resolution? {
        guard
            case .decided(let resolution)? = try await state(of: challenge.id)
        else { return nil }
        return resolution
    }

    /// The error with which a message is refused; and it must leave nothing to show.
    func refusal(of message: PushMessage) async throws -> PushError {
        let before = try await authenticator.records().count
        let error = try await PushTesting.refusal { _ = try await authenticator.receive(message) }
        #expect(try await authenticator.records().count == before)
        return error
    }

    /// Lets the device hear the server's time once more: one reading alone ends nothing.
    func hearTime() async {
        let server = Endpoint.ServerID(host: "tenant.plusauth.example", of: "plusauth")
        let time = WorkedExample.now + clock.elapsed / .seconds(1)
        await clock.serverTime.note(time, at: server, sent: clock.elapsed, received: clock.elapsed)
    }

    func code() async throws -> String {
        try await authenticator.code(for: account().id).text.text
    }
}

extension PlusAuth.Configuration {
    /// A configuration for quick keys, changed as a test wants.
    static func ec(_ change: (inout PlusAuth.Configuration) -> Void = { _ in }) -> Self {
        var configuration = PlusAuth.Configuration()
        configuration.keyAlgorithm = .es256
        change(&configuration)
        return configuration
    }

    static func sims(_ cards: SIMCards?, isStrict: Bool = false) -> Self {
        ec {
            $0.simIdentity = cards
            if isStrict { $0.simPolicy = .strict }
        }
    }
}

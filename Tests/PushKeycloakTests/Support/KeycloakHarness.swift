import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// One app: all of it is real but the vendor, the time and the storage. Nothing asks the vendor but what
/// a test does.
struct KeycloakHarness<Server: Sendable>: ProviderHarness {
    /// What may be another than usual.
    struct Setup {
        var change: (inout KeycloakConfiguration) -> Void = { _ in }
        var store = InMemoryStore()
        var clock = ManualClock(Sample.now)
    }

    let server: Server
    let store: InMemoryStore
    let reads: CountingStore
    let clock: ManualClock
    let observer = RecordingObserver()
    let faults = FaultPlan()
    let transport: SimulatedTransport
    let environment: PushEnvironment
    let provider: Keycloak
    let authenticator: PushAuthenticator

    init(
        at server: Server, _ setup: Setup, _ answering: @escaping SimulatedTransport.Server
    ) throws {
        self.server = server
        (store, clock) = (setup.store, setup.clock)
        transport = SimulatedTransport(faults: faults, server: answering)
        reads = CountingStore(store)
        environment = PushEnvironment(
            transport: transport, store: reads, verifier: ScriptedVerifier.willing(), clock: clock,
            device: Device(name: "Jane's phone", platform: .apple), observer: observer)
        var configuration = KeycloakConfiguration(realms: [try Sample.realm()])
        setup.change(&configuration)
        provider = Keycloak(configuration: configuration, in: environment)
        var policies = PushConfiguration()
        policies.asksAfterPush = false
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: policies)
    }

    /// Scans a code.
    @discardableResult
    func enroll(_ code: String) async throws -> Enrollment {
        try await enroll(.scanned(text: code))
    }

    /// The requests that the server processed, each with its reply.
    func exchanges(_ kind: ScriptedServer.Kind) async -> [RecordedExchange] {
        await transport.exchanges.filter { ScriptedServer.Kind($0.request) == kind }
    }

    /// The JSON bodies of the requests of a kind, oldest first.
    func bodies(_ kind: ScriptedServer.Kind) async throws -> [JSON] {
        try await exchanges(kind).map { try JSON(parsing: $0.body) }
    }

    /// The signed tokens in the bodies of the requests of a kind, oldest first.
    func tokens(_ kind: ScriptedServer.Kind) async throws -> [SentToken] {
        try await bodies(kind).map { try SentToken(#require($0["token"]?.string)) }
    }
}

/// What the tests' apps have in common.
enum Sample {
    static let now = Date(timeIntervalSince1970: 1_760_000_000)
    static let end = Date(timeIntervalSince1970: 1_760_000_240)
    static let token = DeviceToken.fcm("fcm-token-1")
    static let handle = "7c9e6679-7425-40de-944b-e07fc1f90ae7"

    static func realm(
        _ issuer: String = "https://sso.example/realms/demo"
    ) throws(PushError) -> KeycloakConfiguration.Realm {
        try KeycloakConfiguration.Realm(
            issuer: issuer, clientID: "push-device-client",
            clientSecret: Secret(copying: "device-client-secret"))
    }
}

/// An app whose vendor says what the test wants.
typealias ScriptedHarness = KeycloakHarness<ScriptedServer>

extension KeycloakHarness where Server == ScriptedServer {
    init(
        _ change: @escaping (inout KeycloakConfiguration) -> Void = { _ in },
        sharing other: Self? = nil
    ) async throws {
        var setup = Setup(change: change)
        if let other { setup.store = other.store }
        let server = other?.server ?? ScriptedServer(RealmScript(clock: setup.clock))
        try self.init(at: server, setup) { await server.respond(to: $0, body: $1) }
    }

    /// An app with the enrollment of the worked example.
    static func enrolled(
        _ change: @escaping (inout KeycloakConfiguration) -> Void = { _ in }
    ) async throws -> Self {
        let harness = try await Self(change)
        let vectors = try Vectors()
        var enrollment = Enrollment(
            id: harness.id, issuer: "demo", account: "jane", host: "sso.example",
            state: .active, created: Sample.now)
        enrollment.deviceToken = Sample.token
        try await harness.accounts.create(
            enrollment,
            KeycloakCredential(
                issuer: vectors.text("issuer"), subject: vectors.text("subject"),
                deviceID: vectors.text("deviceId"), key: vectors.deviceKey.stored))
        return harness
    }

    var id: Enrollment.ID {
        Enrollment.ID("3e8f7a10-58a4-4b6d-9d9a-5d1d3c2b1a09", of: "keycloak")
    }

    var challengeID: Challenge.ID {
        Challenge.ID("1a6d6a0b-3385-4772-8eb8-0d2f4dbd25a4", of: id)
    }

    /// A push of the worked example, changed as a test wants.
    func push(
        _ changes: [String: JSON?] = [:], by key: RealmTestKey = .one
    ) throws -> PushMessage {
        PushMessage(fcm: ["token": try key.signed(Vectors().object("confirm").with(changes))])
    }

    /// Receives the push of the worked example, and opens it while the realm lists it.
    func challenge(_ verification: JSON? = nil) async throws -> Challenge {
        await server.list(
            try Vectors().object("listed").with(["userVerification": verification]))
        _ = try await authenticator.receive(push())
        return try await authenticator.challenge(challengeID)
    }

    func rotateKey() async throws {
        try await authenticator.turn(of: id) { (account: Account) async throws(PushError) in
            try await provider.rotateKey(of: account)
        }
    }

    func lockOut() async throws {
        try await authenticator.turn(of: id) { (account: Account) async throws(PushError) in
            try await provider.lockOut(account)
        }
    }

    var credential: KeycloakCredential {
        get async throws { try await accounts.existing(id).credential() }
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// One app, and servers that check everything a real one checks.
struct SimulatedWorld {
    typealias Generation = PrivacyIDEASimulator.Generation

    static let token = DeviceToken.fcm("dA1:APA91b_x-Y")

    /// Made once: key pairs take long. Three of the servers, three of the device.
    private static let keys = (0..<3).compactMap { _ in
        try? PrivacyIDEASimulator.ServerKey(bits: 2048)
    }

    let clock: ManualClock
    let store: InMemoryStore
    let faults = FaultPlan()
    let observer = RecordingObserver()
    let verifier = ScriptedVerifier.willing()
    let server: PrivacyIDEASimulator
    let other: PrivacyIDEASimulator
    let transport: SimulatedTransport
    let provider: PrivacyIDEA
    let authenticator: PushAuthenticator

    /// Creates an app beside two servers, `pi.example.com` and `other.example.com`, neither of which
    /// knows it yet. Nothing asks a server but what a test does.
    init(
        _ generation: Generation = .v314,
        server change: @Sendable (inout PrivacyIDEASimulator.Configuration) -> Void = { _ in },
        app: (inout PrivacyIDEA.Configuration) -> Void = { _ in },
        sharing earlier: SimulatedWorld? = nil
    ) async throws {
        let clock = earlier?.clock ?? ManualClock(Date(timeIntervalSince1970: 1_795_348_800))
        self.clock = clock
        store = earlier?.store ?? InMemoryStore()
        let server =
            earlier?.server
            ?? Self.server(generation, .reusing(Array(Self.keys.prefix(2))), clock, seed: 1, change)
        let other =
            earlier?.other
            ?? Self.server(generation, .reusing(Array(Self.keys.suffix(1))), clock, seed: 2, change)
        (self.server, self.other) = (server, other)
        if earlier == nil { try await other.move(to: "https://other.example.com") }
        transport = SimulatedTransport(faults: faults) { request, body in
            let isOther = request.authority == "other.example.com"
            return await (isOther ? other : server).respond(to: request, body: body)
        }
        let environment = Environment(
            transport: transport, store: store, verifier: verifier, clock: clock,
            device: Device(name: "Pixel 8", platform: .android), observer: observer)
        var configuration = PrivacyIDEA.Configuration()
        app(&configuration)
        let next = Locked(0)
        let keys = try ["device", "otherDevice"].map { try Vectors().key($0).deviceKey() }
        provider = PrivacyIDEA(
            configuration: configuration,
            keys: DeviceKeySource { (_) async throws(PushError) in
                keys[next.withLock { Self.advance(&$0) } % keys.count]
            },
            in: environment)
        var policies = Policies()
        policies.asksAfterPush = false
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, policies: policies)
        if earlier == nil { _ = try await authenticator.deviceTokenChanged(Self.token) }
    }

    private static func advance(_ number: inout Int) -> Int {
        defer { number += 1 }
        return number
    }

    private static func server(
        _ generation: Generation, _ keys: PrivacyIDEASimulator.ServerKeySupply,
        _ clock: ManualClock, seed: UInt64,
        _ change: (inout PrivacyIDEASimulator.Configuration) -> Void
    ) -> PrivacyIDEASimulator {
        var configuration = PrivacyIDEASimulator.Configuration(
            generation: generation, clock: clock, random: SeededRandom(seed: seed))
        configuration.serverKeys = keys
        change(&configuration)
        return PrivacyIDEASimulator(configuration)
    }

    /// A world with one token of `ada`.
    static func enrolled(
        _ generation: Generation = .v314,
        server change: @Sendable (inout PrivacyIDEASimulator.Configuration) -> Void = { _ in },
        app: (inout PrivacyIDEA.Configuration) -> Void = { _ in }
    ) async throws -> (world: SimulatedWorld, id: Enrollment.ID) {
        let world = try await SimulatedWorld(generation, server: change, app: app)
        return (world, try await world.enroll().id)
    }

    @discardableResult
    func enroll(
        _ user: String = "ada", serial: String? = nil, at server: PrivacyIDEASimulator? = nil
    ) async throws -> Enrollment {
        let code = try await (server ?? self.server).enrollmentURI(for: user, serial: serial)
        return try await enroll(code)
    }

    func enroll(_ code: String) async throws -> Enrollment {
        let offers = try authenticator.offers(for: .scanned(text: code))
        return try await authenticator.enroll(try #require(offers.first))
    }

    // MARK: Logins

    func start(
        _ kind: SimulatedLogin.Kind = .confirm, at server: PrivacyIDEASimulator? = nil,
        spoiledBy bad: PrivacyIDEASimulator.BadChallenge? = nil
    ) async throws -> SimulatedLogin {
        try await (server ?? self.server).startLogin(of: "ada", asking: kind, spoiledBy: bad)
    }

    /// Hands the app the pushes that are on their way.
    @discardableResult
    func receive(from server: PrivacyIDEASimulator? = nil) async throws -> [Reception] {
        var receptions: [Reception] = []
        for push in await (server ?? self.server).takePushes() {
            receptions += try await authenticator.receive(push.message())
        }
        return receptions
    }

    /// A login whose push came, and which the user has opened.
    func opened(
        _ kind: SimulatedLogin.Kind = .confirm
    ) async throws -> (login: SimulatedLogin, challenge: Challenge) {
        let login = try await start(kind)
        let id = try #require(try await receive().first?.challenge)
        return (login, try await authenticator.challenge(id))
    }

    func status(_ login: SimulatedLogin) async throws -> SimulatedLogin.Status {
        try await server.status(of: login.id)
    }

    func state(_ login: SimulatedLogin) async throws -> String {
        let state = try await server.transaction(login.id)
        return "\(state.authentication.rawValue) \(state.challengeStatus)"
    }

    /// The requests that a device makes.
    enum Call { case enroll, poll, token, answer }

    /// How many requests of a kind the servers processed.
    func count(_ call: Call) async -> Int {
        await transport.exchanges.count { exchange in
            guard exchange.request.method == .post else { return call == .poll }
            let form = String(decoding: exchange.body, as: UTF8.self)
            if form.contains("enrollment_credential=") { return call == .enroll }
            return call == (form.contains("new_fb_token=") ? .token : .answer)
        }
    }

    func isOver(_ id: Challenge.ID) async throws -> Bool {
        if case .over? = try await authenticator.record(of: id)?.state { return true }
        return false
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// An app whose vendor checks everything that a real server checks.
typealias SimulatedHarness = PrivacyIDEAHarness<SimulatedVendor>

/// Two servers: `pi.example.com` and `other.example.com`.
struct SimulatedVendor: HarnessVendor {
    typealias Change = @Sendable (inout PrivacyIDEASimulator.Configuration) -> Void

    /// Made once: key pairs take long.
    private static let keys = (0..<3).compactMap { _ in
        try? PrivacyIDEASimulator.ServerKey(bits: 2048)
    }

    let clock: ManualClock
    let server: PrivacyIDEASimulator
    let other: PrivacyIDEASimulator

    /// Creates servers that know no token yet.
    init(
        _ generation: PrivacyIDEASimulator.Generation = .v314, clock: ManualClock,
        _ change: Change = { _ in }
    ) async throws {
        func server(_ keys: some Sequence<PrivacyIDEASimulator.ServerKey>, seed: UInt64)
            -> PrivacyIDEASimulator
        {
            var configuration = PrivacyIDEASimulator.Configuration(
                generation: generation, clock: clock, random: SeededRandom(seed: seed))
            configuration.serverKeys = .reusing(Array(keys))
            change(&configuration)
            return PrivacyIDEASimulator(configuration)
        }
        self.clock = clock
        self.server = server(Self.keys.prefix(2), seed: 1)
        other = server(Self.keys.suffix(1), seed: 2)
        try await other.move(to: "https://other.example.com")
    }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        let asked = request.authority == "other.example.com" ? other : server
        return await asked.respond(to: request, body: body)
    }
}

extension PrivacyIDEAHarness where Vendor == SimulatedVendor {
    typealias Generation = PrivacyIDEASimulator.Generation

    var other: PrivacyIDEASimulator { vendor.other }

    /// Creates an app that no server knows yet.
    init(
        _ generation: Generation = .v314,
        server change: @escaping SimulatedVendor.Change = { _ in },
        app: @escaping (inout PrivacyIDEA.Configuration) -> Void = { _ in },
        keyGuard: ScriptedGuard? = ScriptedGuard()
    ) async throws {
        let setup = Setup(change: app, keyGuard: keyGuard)
        let vendor = try await SimulatedVendor(generation, clock: setup.clock, change)
        try self.init(at: vendor, setup)
        _ = try await authenticator.deviceTokenChanged(Sample.token)
    }

    /// Creates a later process of an app.
    init(sharing earlier: Self) throws {
        try self.init(
            at: earlier.vendor, Setup(store: earlier.store, clock: earlier.vendor.clock))
    }

    /// An app with one token of `ada`.
    static func enrolled(
        _ generation: Generation = .v314,
        server change: @escaping SimulatedVendor.Change = { _ in },
        app: @escaping (inout PrivacyIDEA.Configuration) -> Void = { _ in }
    ) async throws -> (harness: Self, id: Enrollment.ID) {
        let harness = try await Self(generation, server: change, app: app)
        return (harness, try await harness.enroll().id)
    }

    @discardableResult
    func enroll(
        _ user: String = "ada", serial: String? = nil, at server: PrivacyIDEASimulator? = nil
    ) async throws -> Enrollment {
        let code = try await (server ?? self.server).enrollmentURI(for: user, serial: serial)
        return try await enroll(code)
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

    /// How many requests of a kind the servers processed.
    func count(_ kind: ScriptedServer.Kind) async -> Int {
        await transport.exchanges.count {
            ScriptedServer.kind(of: $0.request, $0.body) == kind
        }
    }

    func isOver(_ id: Challenge.ID) async throws -> Bool {
        if case .over? = try await authenticator.record(of: id)?.state { return true }
        return false
    }
}

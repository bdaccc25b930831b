import Foundation
import HTTPTypes
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// An app whose vendor checks everything that a real server checks.
typealias SimulatedHarness = PrivacyIDEAHarness<PrivacyIDEASimulator>

/// Made once: key pairs take long.
private let serverKeys = (0..<3).compactMap { _ in try? PrivacyIDEASimulator.ServerKey(bits: 2048) }

extension PrivacyIDEAHarness where Server == PrivacyIDEASimulator {
    typealias Generation = PrivacyIDEASimulator.Generation
    typealias Change = @Sendable (inout PrivacyIDEASimulator.Configuration) -> Void

    /// Creates an app that no server knows yet.
    init(
        _ generation: Generation = .v314, server change: @escaping Change = { _ in },
        app: @escaping (inout PrivacyIDEA.Configuration) -> Void = { _ in }
    ) async throws {
        let setup = Setup(change: app)
        func server(_ keys: some Sequence<PrivacyIDEASimulator.ServerKey>, seed: UInt64)
            -> PrivacyIDEASimulator
        {
            var configuration = PrivacyIDEASimulator.Configuration(
                generation: generation, clock: setup.clock, random: SeededRandom(seed: seed))
            configuration.serverKeys = .reusing(Array(keys))
            change(&configuration)
            return PrivacyIDEASimulator(configuration)
        }
        let other = server(serverKeys.suffix(1), seed: 2)
        try await other.move(to: "https://other.example.com")
        try self.init(of: server(serverKeys.prefix(2), seed: 1), other, setup)
        _ = try await authenticator.deviceTokenChanged(Sample.token)
    }

    /// Creates a later process of an app.
    init(sharing earlier: Self) throws {
        try self.init(
            of: earlier.server, earlier.other, Setup(store: earlier.store, clock: earlier.clock))
    }

    private init(
        of server: PrivacyIDEASimulator, _ other: PrivacyIDEASimulator, _ setup: Setup
    ) throws {
        try self.init(at: server, other, setup) { request, body in
            let asked = request.authority == "other.example.com" ? other : server
            return await asked.respond(to: request, body: body)
        }
    }

    /// An app with one token of `ada`.
    static func enrolled(
        _ generation: Generation = .v314,
        server change: @escaping Change = { _ in },
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

    /// A login whose push came, and which the user has opened.
    func opened(
        _ kind: SimulatedLogin.Kind = .confirm
    ) async throws -> (login: SimulatedLogin, challenge: Challenge) {
        let login = try await start(kind)
        let id = try #require(try await receive(from: server).first?.challenge)
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
            PrivacyIDEAScript.kind(of: $0.request, $0.body) == kind
        }
    }

    func isOver(_ id: Challenge.ID) async throws -> Bool {
        if case .over? = try await authenticator.record(of: id)?.state { return true }
        return false
    }
}

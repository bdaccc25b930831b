import Foundation
import HTTPTypes
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

@testable import PushKeycloak

/// An app whose vendor checks everything that a real server checks.
typealias SimulatedHarness = KeycloakHarness<KeycloakSimulator>

extension KeycloakSimulator {
    typealias Change = @Sendable (inout Configuration) -> Void

    /// A realm that knows no user yet.
    init(clock: ManualClock, keys: [RealmKey] = [], _ change: Change = { _ in }) {
        // An RSA pair takes long to make.
        var configuration = Configuration(
            algorithm: .es256, clock: clock, random: SeededRandom(seed: 1))
        change(&configuration)
        self.init(configuration, keys: keys)
    }
}

extension KeycloakHarness where Server == KeycloakSimulator {
    /// Creates an app that the realm doesn't know yet.
    init(
        keys: [KeycloakSimulator.RealmKey] = [],
        server change: @escaping KeycloakSimulator.Change = { _ in },
        app: @escaping (inout KeycloakConfiguration) -> Void = { _ in }
    ) async throws {
        let setup = Setup(change: app)
        let server = KeycloakSimulator(clock: setup.clock, keys: keys, change)
        try self.init(at: server, setup) { await server.respond(to: $0, body: $1) }
        _ = try await authenticator.deviceTokenChanged(Sample.token)
    }

    /// Creates a later process of an app.
    init(sharing earlier: Self) throws {
        let server = earlier.server
        try self.init(at: server, Setup(store: earlier.store, clock: earlier.clock)) {
            await server.respond(to: $0, body: $1)
        }
    }

    /// An app with one enrollment of `ada`.
    static func enrolled(
        keys: [KeycloakSimulator.RealmKey] = [],
        server change: @escaping KeycloakSimulator.Change = { _ in }
    ) async throws -> (harness: Self, id: Enrollment.ID) {
        let harness = try await Self(keys: keys, server: change)
        return (harness, try await harness.enroll(harness.code()).id)
    }

    func code(
        for user: String = "ada", spoiledBy bad: KeycloakSimulator.BadToken? = nil
    ) async throws -> String {
        try await server.enrollmentCode(for: user, spoiledBy: bad)
    }

    // MARK: Logins

    func start(
        _ kind: SimulatedLogin.Kind = .confirm, spoiledBy bad: KeycloakSimulator.BadToken? = nil
    ) async throws -> SimulatedLogin {
        try await server.startLogin(of: "ada", asking: kind, spoiledBy: bad)
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
}

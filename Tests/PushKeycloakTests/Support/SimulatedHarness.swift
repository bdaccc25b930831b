import Foundation
import HTTPTypes
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

@testable import PushKeycloak

/// An app whose vendor checks everything that a real server checks.
typealias SimulatedHarness = KeycloakHarness<SimulatedVendor>

struct SimulatedVendor: HarnessVendor {
    typealias Change = @Sendable (inout KeycloakSimulator.Configuration) -> Void

    let server: KeycloakSimulator

    /// A realm that knows no user yet.
    init(
        clock: ManualClock, keys: [KeycloakSimulator.RealmKey] = [], _ change: Change = { _ in }
    ) {
        // An RSA pair takes long to make.
        var configuration = KeycloakSimulator.Configuration(
            algorithm: .es256, clock: clock, random: SeededRandom(seed: 1))
        change(&configuration)
        server = KeycloakSimulator(configuration, keys: keys)
    }

    func respond(
        to request: HTTPRequest, body: Data
    ) async -> (response: HTTPResponse, body: Data) {
        await server.respond(to: request, body: body)
    }
}

extension KeycloakHarness where Vendor == SimulatedVendor {
    /// Creates an app that the realm doesn't know yet.
    init(
        keys: [KeycloakSimulator.RealmKey] = [],
        server change: @escaping SimulatedVendor.Change = { _ in },
        app: @escaping (inout KeycloakConfiguration) -> Void = { _ in }
    ) async throws {
        let setup = Setup(change: app)
        try self.init(at: SimulatedVendor(clock: setup.clock, keys: keys, change), setup)
        _ = try await authenticator.deviceTokenChanged(Sample.token)
    }

    /// Creates a later process of an app.
    init(sharing earlier: Self) throws {
        try self.init(at: earlier.vendor, Setup(store: earlier.store, clock: earlier.clock))
    }

    /// An app with one enrollment of `ada`.
    static func enrolled(
        keys: [KeycloakSimulator.RealmKey] = [],
        server change: @escaping SimulatedVendor.Change = { _ in }
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

    /// Hands the app the pushes that are on their way.
    @discardableResult
    func receive() async throws -> [Reception] {
        var receptions: [Reception] = []
        for push in await server.takePushes() {
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
}

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// A moment in the tests.
let morning = Date(timeIntervalSince1970: 1_760_000_000)

/// A phone with Acme's plugin, a network with faults, a store and a clock.
struct AcmePhone {
    let server = AcmeSite()
    let faults = FaultPlan()
    let store = InMemoryStore()
    let clock = ManualClock(morning)
    let transport: SimulatedTransport
    let environment: PushEnvironment

    init(seed: UInt64 = 1) {
        transport = SimulatedTransport(faults: faults) { [server] in
            await server.respond(to: $0, body: $1)
        }
        environment = PushEnvironment(
            transport: transport, store: store, verifier: ScriptedVerifier.willing(), clock: clock,
            random: SeededRandom(seed: seed), device: Device(name: "test"))
    }

    /// An authenticator under which nothing is asked behind a test's back.
    func authenticator(_ options: Acme.Options = .init()) throws -> PushAuthenticator {
        var configuration = PushConfiguration()
        configuration.asksAfterPush = false
        configuration.hintInterval = .zero
        return PushAuthenticator(
            try PluginRegistry([Acme("acme", options, in: environment)]), in: environment,
            configuration: configuration)
    }

    /// An authenticator at which these accounts are enrolled.
    func enrolled(
        _ accounts: [String] = ["ada"], _ options: Acme.Options = .init()
    ) async throws -> PushAuthenticator {
        let authenticator = try authenticator(options)
        for account in accounts {
            let offers = try authenticator.offers(for: .scanned(text: "acme:\(account)"))
            _ = try await authenticator.enroll(try #require(offers.first))
        }
        return authenticator
    }

    /// The answers that the server got.
    var answers: Int {
        get async { await transport.exchanges.count { $0.request.path == "/answer" } }
    }
}

/// Acme's server, which takes whatever tests announce for its own.
actor AcmeSite {
    private let server = AcmeServer(.init())

    init() { server.knowsAll = true }

    /// Replies carry what a clock shows.
    func tell(by clock: ManualClock) {
        server.now = { Int(clock.now.timeIntervalSince1970 * 1000) }
    }

    func respond(to request: HTTPRequest, body: Data) -> (response: HTTPResponse, body: Data) {
        server.respond(
            to: request.path ?? "", body, mac: request.headerFields[AcmeWire.macField] ?? "")
    }
}

extension Enrollment.ID {
    static let ada = Enrollment.ID("ada", of: "acme")
}

extension Challenge.ID {
    static func ada(_ name: String) -> Challenge.ID { Challenge.ID(name, of: .ada) }
}

import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting

@testable import push_lab

/// Vendors that need a section in the configuration, or a PIN.
extension PushAuthSite {
    /// A configuration with two providers of one vendor.
    static let twoForgeRocks = """
        [providers.forgerock]
        local-hosts = true
        [providers.forgerock-staging]
        vendor = "forgerock"
        local-hosts = true

        """

    /// A server whose codes are one-time codes alone, which may move to another device.
    static var oneTimeCodes: ForgeRockSimulator {
        var configuration = ForgeRockSimulator.Configuration(generation: .d, issuer: "Example Bank")
        configuration.enrollment = .init(.totp)
        return ForgeRockSimulator(configuration)
    }

    /// Runs a test with one of the console's vendors behind HTTPS.
    static func run(
        with vendor: ConsoleVendor, through gate: Gate = Gate(),
        _ test: (PushAuthSite) async throws -> Void
    ) async throws {
        let simulator = vendor.simulator
        try await run(
            with: simulator,
            answering: {
                await gate.pass()
                return await simulator.respond(to: $0, body: $1)
            }, configuredBy: vendor.configuration, test)
    }

    /// A server that this user trusts, and that speaks HTTP/2.
    func serveHTTP2(_ handler: @escaping LocalServer.Handler) async throws -> LocalServer {
        guard case .secure(let identity) = wire else { return try await serve(handler) }
        return try await LocalServer.start(.modern(identity), handler: handler)
    }

    /// Enrolls jane with a PIN, however the vendor invites.
    func enroll(at vendor: ConsoleVendor, pin: String) async throws -> JSON {
        _ = try await pushauth("token", "set", "--fcm", "lab-token")
        var arguments = ["enroll", "--yes", "--json", "--pin-env", "PIN"]
        var environment = ["PIN": pin]
        switch try await vendor.simulator.invitation(for: "jane") {
        case .credentials(let user, let password):
            arguments += ["--user", user, "--password-env", "PASSWORD"]
            environment["PASSWORD"] = password.withBytes { String(decoding: $0, as: UTF8.self) }
        case let invitation:
            arguments.append(invitation.scannedText ?? "")
        }
        let result = try await pushauth(arguments, environment: environment)
        guard result.exitCode == 0 else { throw PushError(.malformed, result.errors) }
        return try result.json
    }
}

/// What requests pass, one after the other, unless it's shut.
actor Gate {
    private var isShut = false
    private var knocks: [Event] = []
    private var opening = Event()

    /// Lets nobody pass any more.
    ///
    /// - Returns: What happens when the first one stands there.
    func shut() -> Event {
        isShut = true
        opening = Event()
        let knock = Event()
        knocks.append(knock)
        return knock
    }

    func open() {
        isShut = false
        opening.happen()
    }

    func pass() async {
        guard isShut else { return }
        for knock in knocks { knock.happen() }
        await opening.wait()
    }
}

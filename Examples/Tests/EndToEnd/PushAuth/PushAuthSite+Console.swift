import Foundation
import LocalServer
import PushCore
import PushTesting

@testable import push_lab

/// The console's vendors: those that want a section of the configuration, or a PIN.
extension PushAuthSite {
    static let pin = "9713840"

    /// Runs a test with the console's vendor of a name behind HTTPS.
    static func run(
        atVendor name: String, _ test: (PushAuthSite, ConsoleVendor) async throws -> Void
    ) async throws {
        guard let vendor = ConsoleVendors.all().first(where: { $0.name == name }) else {
            throw PushError(.notFound, "There is no vendor \(name).")
        }
        try await run { site in
            let server = try await site.serve { await vendor.simulator.respond(to: $0, body: $1) }
            try await vendor.simulator.move(to: server.origin)
            try site.configure(await vendor.configuration(server.origin))
            do {
                try await test(site, vendor)
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
        }
    }

    /// Enrolls jane.
    ///
    /// - Returns: The ID of the enrollment.
    func join(_ vendor: ConsoleVendor) async throws -> String {
        _ = try await pushauth("token", "set", "--fcm", "lab-token")
        var arguments = ["enroll", "--yes", "--json", "--pin-env", "PIN"]
        var environment = ["PIN": Self.pin]
        let invitation = try await vendor.simulator.invitation(for: "jane")
        if case .credentials(let user, let password) = invitation {
            arguments += ["--user", user, "--password-env", "PASSWORD"]
            environment["PASSWORD"] = password.withBytes { String(decoding: $0, as: UTF8.self) }
        } else {
            arguments.append(invitation.scannedText ?? "")
        }
        let result = try await pushauth(arguments, environment: environment)
        guard result.exitCode == 0 else { throw PushError(.malformed, result.errors) }
        await vendor.settle("jane")
        return try result.json["id"]?.string ?? ""
    }
}

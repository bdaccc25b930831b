import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting

/// A customer of a bank whose server has endpoints of its own beside PowerAuth's: a shell with
/// `pushauth`, and curl, which knows nothing of this project.
struct BankCustomer {
    static let pin = "9713840"
    static let finger = "c29tZSBzZWNyZXQgb2YgdGhlIGtleWNoYWlu"

    let site: PushAuthSite
    let simulator: PowerAuthSimulator
    let origin: String

    static func resources() -> [PowerAuthSimulator.BankResource] {
        [
            .init("/secured/payment"),
            .init(
                "/secured/account/{id}", name: "/secured/account/${id}",
                methods: [.put, .patch, .delete]),
            .init(
                "/secured/accounts", methods: [.get],
                proof: .signature([.possession, .possessionKnowledge])),
            .init("/any", proof: .signature(Set(PowerAuthSimulator.SignatureType.allCases))),
        ]
    }

    /// Runs a test with a bank behind HTTPS, whose section in the configuration has more lines.
    static func run(
        _ lines: String = "", at bank: PowerAuthSimulator = PowerAuthSimulator(),
        _ test: (BankCustomer) async throws -> Void
    ) async throws {
        await bank.configure { $0.resources = resources() }
        try await PushAuthSite.run(
            with: bank, configuredBy: { await section(of: bank, at: $0) + lines + "\n" }
        ) { site in
            try await test(BankCustomer(site: site, simulator: bank, origin: await bank.origin))
        }
    }

    static func section(of bank: PowerAuthSimulator, at origin: String) async -> String {
        """
        [providers.powerauth]
        sdk-configuration = "\(await bank.sdkConfiguration)"
        server = "\(origin)"

        """
    }

    /// Enrolls jane, and has the back office commit it.
    ///
    /// - Returns: The ID of the enrollment.
    func join(
        _ options: String..., environment: [String: String] = [:]
    ) async throws -> String {
        let text = try await simulator.invitation(for: "jane").scannedText ?? ""
        let result = try await site.pushauth(
            ["enroll", text, "--yes", "--json", "--pin-env", "PIN"] + options,
            environment: ["PIN": Self.pin].merging(environment) { $1 })
        guard result.exitCode == 0, let id = try result.json["id"]?.string else {
            throw PushError(.malformed, result.errors)
        }
        for record in await simulator.activations(of: "jane")
        where record.state == .pendingCommit {
            try await simulator.commit(record.id)
        }
        _ = try await site.pushauth("refresh", id)
        return id
    }

    /// Makes the headers of a request.
    func sign(
        _ options: String..., input: String? = nil, pin: String = Self.pin
    ) async throws -> Program.Result {
        try await site.pushauth(
            ["sign", "--provider", "powerauth"] + options, input: input,
            environment: ["PIN": pin, "FINGER": Self.finger])
    }

    /// Sends a request with headers that were made, by curl.
    ///
    /// - Returns: The status.
    func send(
        _ headers: Program.Result, to path: String, _ options: [String] = []
    ) async throws -> String {
        let file = try site.file("headers-\(UUID().uuidString)", headers.output)
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            [
                "curl", "--silent", "--show-error", "--cacert", site.certificateFile,
                "--header", "@" + file, "--output", "/dev/null", "--write-out", "%{http_code}",
            ] + options + [origin + path])
        return result.output + result.errors
    }
}

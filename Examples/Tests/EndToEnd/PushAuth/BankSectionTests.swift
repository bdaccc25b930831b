import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What `[providers.powerauth]` may choose.
@Suite(.timeLimit(.minutes(3))) struct `a bank's section of the configuration` {
    @Test func `an activation OTP is asked for, and sent`() async throws {
        let bank = PowerAuthSimulator()
        await bank.configure { $0.invitation.password = .onKeyExchange("135790") }
        try await BankCustomer.run("activation-otp = true", at: bank) { customer in
            let text = try #require(try await bank.invitation(for: "jane").scannedText)
            let unasked = try await customer.site.pushauth(
                "enroll", text, "--yes", "--pin-env", "PIN", environment: ["PIN": "9713840"])
            #expect(unasked.exitCode == 6 && unasked.errors.contains("--code-env"))
            let wrong = try await customer.site.pushauth(
                "enroll", text, "--yes", "--pin-env", "PIN", "--code-env", "OTP",
                environment: ["PIN": "9713840", "OTP": "1"])
            #expect(wrong.exitCode == 1 && wrong.output.isEmpty)
            _ = try await customer.join("--code-env", "OTP", environment: ["OTP": "135790"])
            let listed = try await customer.site.pushauth("list", "--json").json
            #expect(listed["state"] == "active")
        }
    }

    @Test func `operations may have a server of their own`() async throws {
        try await PushAuthSite.run { site in
            let bank = PowerAuthSimulator()
            let paths = Recorded()
            let servers = try await [("/pa/", "enrollment"), ("/api/", "operations")].mapped {
                (tree, name) in
                try await site.serve { request, body in
                    let path = request.path ?? ""
                    guard path.hasPrefix(tree) else { return nil }
                    await paths.note(name)
                    return await bank.respond(to: request, body: body)
                }
            }
            let section = await BankCustomer.section(of: bank, at: servers[0].origin)
            try site.configure(section + "operation-server = \"\(servers[1].origin)\"\n")
            let customer = BankCustomer(site: site, simulator: bank, origin: servers[0].origin)
            _ = try await customer.join()
            _ = try await bank.createOperation(for: "jane", .payment)
            let pending = try await site.pushauth("pending", "--json")
            #expect(pending.exitCode == 0, "\(pending.errors)")
            let id = try #require(try pending.json["id"]?.string)
            let approved = try await site.pushauth(
                "approve", id, "--yes", "--pin-env", "PIN",
                environment: ["PIN": BankCustomer.pin])
            #expect(approved.output == "approved\n", "\(approved.errors)")
            #expect(await paths.names == ["enrollment", "operations"])
            let doctor = try await site.pushauth("doctor", "--json")
            let asked = try doctor.lines.filter { $0["check"] == "server" }
                .compactMap { $0["text"]?.string }.joined(separator: " ")
            for server in servers {
                #expect(asked.contains(":\(server.port)"), "\(asked)")
                await server.stop()
            }
        }
    }

    @Test(arguments: [true, false])
    func `biometry is set up where its secret is brought, unless the section says no`(
        isOffered: Bool
    ) async throws {
        try await BankCustomer.run(isOffered ? "" : "biometry = false") { customer in
            let secret = try customer.site.file("finger", BankCustomer.finger + "\n")
            let text = try await customer.simulator.invitation(for: "jane").scannedText ?? ""
            let script = "exec \"$0\" \"$@\" 3<'\(secret)'"
            let enrolled = try await Program(at: URL(fileURLWithPath: "/bin/sh")).run(
                [
                    "-c", script, Program("pushauth").executable.path, "enroll", text, "--yes",
                    "--pin-env", "PIN", "--biometry-fd", "3",
                ], environment: customer.site.environment.merging(["PIN": "9713840"]) { $1 })
            #expect(enrolled.exitCode == 0, "\(enrolled.errors)")
            let record = try #require(await customer.simulator.activations(of: "jane").last)
            try await customer.simulator.commit(record.id)
            _ = try await customer.site.pushauth("refresh")
            let operation = try await customer.simulator.createOperation(for: "jane", .payment)
            _ = try await customer.site.pushauth("pending")
            let id = try await customer.site.waiting()
            let approved = try await customer.site.pushauth(
                "approve", id, "--yes", "--biometry-env", "FINGER",
                environment: ["FINGER": BankCustomer.finger])
            #expect(approved.exitCode == (isOffered ? 0 : 6), "\(approved.errors)")
            let status = try await customer.simulator.status(of: operation.id)
            #expect(status == (isOffered ? .approved : .waiting))
        }
    }

    @Test(arguments: [
        ("version = \"3.0\"", "version is one of 3.1, 3.2, 3.3."),
        ("version = 3.3", "'version'"), ("biometry = \"yes\"", "'biometry'"),
        ("operation-server = \"nowhere\"", "[providers.powerauth]"),
        ("otp = true", "unknown: otp."),
    ])
    func `a value that can't be used is named`(line: String, words: String) async throws {
        try await BankCustomer.run(line) { customer in
            let result = try await customer.site.pushauth("list")
            #expect(result.exitCode == 5 && result.errors.contains(words), "\(result.errors)")
        }
    }
}

/// The names that were noted, once each.
private actor Recorded {
    private(set) var names: Set<String> = []

    func note(_ name: String) { names.insert(name) }
}

extension Array {
    fileprivate func mapped<Value>(
        _ transform: (Element) async throws -> Value
    ) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}

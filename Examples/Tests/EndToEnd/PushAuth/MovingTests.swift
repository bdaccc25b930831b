import Foundation
import PushCore
import PushForgeRockSimulator
import PushPlusAuthSimulator
import PushTesting
import Testing

/// Enrollments that go from one store to another, by the program, over HTTPS.
@Suite(.timeLimit(.minutes(5))) struct `pushauth export and import` {
    private typealias Kind = ForgeRockSimulator.EnrollmentOptions.Kind
    private static let password = ["PASSWORD": "correct horse battery"]
    private static let byPassword = ["--password-env", "PASSWORD"]

    private func simulator(_ kind: Kind) -> ForgeRockSimulator {
        var configuration = ForgeRockSimulator.Configuration(
            generation: .d, issuer: "Example Bank")
        configuration.enrollment = .init(kind)
        return ForgeRockSimulator(configuration)
    }

    /// Another store of the same user: the other device.
    private func other(at site: PushAuthSite) -> [String] {
        ["--store", site.directory.appendingPathComponent("other/store").path]
    }

    private func run(
        _ site: PushAuthSite, _ arguments: [String]
    ) async throws -> Program.Result {
        try await site.pushauth(arguments, environment: Self.password)
    }

    private func code(_ site: PushAuthSite, _ options: [String] = []) async throws -> String? {
        let result = try await run(site, ["code", "--user", "jane"] + options)
        guard result.exitCode == 0 else { return nil }
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `what moved is of no use here, lives there, and comes back by its file`()
        async throws
    {
        let simulator = simulator(.pushAndHOTP)
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let first = try #require(try await code(site))
            #expect(try await simulator.logIn("jane", with: first) == .accepted)
            let file = site.directory.appendingPathComponent("moving").path
            let preview = try await run(site, ["export", file, "--dry-run", "--json"])
            #expect(try preview.json["result"] == "moved")
            #expect(!FileManager.default.fileExists(atPath: file))

            let exported = try await run(
                site, ["export", file, "--yes", "--json"] + Self.byPassword)
            #expect(exported.exitCode == 0, "\(exported.errors)")
            #expect(try exported.json["result"] == "moved")
            #expect(try await run(site, ["list", "--json"]).json["state"] == "moved")
            let refused = try await run(site, ["code", "--user", "jane"])
            #expect(refused.exitCode == 1 && refused.output.isEmpty)
            #expect(refused.errors.contains("`pushauth import`"), "\(refused.errors)")
            let again = try await run(site, ["export", file, "--yes"] + Self.byPassword)
            #expect(again.exitCode == 1 && again.errors.contains("There is a file"))

            let there = other(at: site)
            let token = try await run(site, ["token", "set", "--fcm", "other-token"] + there)
            #expect(token.exitCode == 0, "\(token.errors)")
            let unasked = try await run(site, ["import", file] + Self.byPassword + there)
            #expect(unasked.exitCode == 6 && unasked.errors.contains("--yes"), "\(unasked.errors)")
            #expect(try await run(site, ["list", "--json"] + there).output.isEmpty)
            let imported = try await run(
                site, ["import", file, "--yes", "--json"] + Self.byPassword + there)
            #expect(imported.exitCode == 0, "\(imported.errors)")
            #expect(try imported.json["result"] == "taken")
            let second = try await run(
                site, ["import", file, "--yes", "--json"] + Self.byPassword + there)
            #expect(try second.json["result"] == "known")
            let next = try #require(try await code(site, there))
            #expect(next != first)
            #expect(try await simulator.logIn("jane", with: next) == .accepted)
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await simulator.takePushes().last)
            #expect(push.deviceToken == .fcm("other-token"))
            let payload = String(decoding: push.payload, as: UTF8.self) + "\n"
            let old = try await site.pushauth("listen", "--stdin", "--json", input: payload)
            #expect(!old.output.contains("\"question\""), "\(old.output)")
            let received = try await site.pushauth(
                "listen", "--stdin", "--json", there[0], there[1], input: payload)
            #expect(received.output.contains("\"question\""), "\(received.errors)")
            let approved = try await run(site, ["approve", "--yes", "--user", "jane"] + there)
            #expect(approved.exitCode == 0, "\(approved.errors)")
            #expect(try await simulator.status(of: login.id) == .approved)

            let back = site.directory.appendingPathComponent("back").path
            let returned = try await run(
                site, ["export", back, "--yes"] + Self.byPassword + there)
            #expect(returned.exitCode == 0, "\(returned.errors)")
            #expect(try await run(site, ["import", back, "--yes"] + Self.byPassword).exitCode == 0)
            let last = try #require(try await code(site))
            #expect(![first, next].contains(last))
            #expect(try await simulator.logIn("jane", with: last) == .accepted)
            #expect(try await code(site, there) == nil)
        }
    }

    @Test func `a wrong password and a damaged file change nothing, and say the same`()
        async throws
    {
        let simulator = simulator(.totp)
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let file = site.directory.appendingPathComponent("moving").path
            let exported = try await run(
                site, ["export", file, "--yes", "--json"] + Self.byPassword)
            #expect(try exported.json["result"] == "copied")
            #expect(try await code(site) != nil)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
            #expect((mode as? NSNumber)?.intValue == 0o600)
            var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            bytes[bytes.count - 1] ^= 1
            let damaged = try site.file("damaged", bytes)
            bytes[8] = 9
            let newer = try site.file("newer", bytes)
            let there = other(at: site)
            let wrong = try await site.pushauth(
                ["import", file] + Self.byPassword + there,
                environment: ["PASSWORD": "another password"])
            let changed = try await run(site, ["import", damaged] + Self.byPassword + there)
            #expect(wrong.exitCode == 6 && changed.exitCode == 6)
            #expect(wrong.errors == changed.errors)
            #expect(try await run(site, ["list", "--json"] + there).output.isEmpty)
            let late = try await run(site, ["import", newer] + Self.byPassword + there)
            #expect(late.exitCode == 1 && late.errors.contains("newer"), "\(late.errors)")
            let taken = try await run(site, ["import", file, "--yes"] + Self.byPassword + there)
            #expect(taken.exitCode == 0, "\(taken.errors)")
            #expect(try await code(site, there) != nil)
        }
    }

    @Test func `a short password marks nothing, and neither does a directory that isn't there`()
        async throws
    {
        let simulator = simulator(.hotp)
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let file = site.directory.appendingPathComponent("moving").path
            let short = try await site.pushauth(
                ["export", file, "--yes"] + Self.byPassword, environment: ["PASSWORD": "short"])
            #expect(short.exitCode == 6)
            let nowhere = try await run(
                site, ["export", file + "/no/where", "--yes"] + Self.byPassword)
            #expect(nowhere.exitCode == 5)
            #expect(try await run(site, ["list", "--json"]).json["state"] == "active")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func `what is bound to the device stays, with the reason, and makes no file`()
        async throws
    {
        let simulator = PlusAuthSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let file = site.directory.appendingPathComponent("moving").path
            let result = try await run(site, ["export", file, "--yes", "--json"] + Self.byPassword)
            #expect(result.exitCode == 1)
            #expect(try result.json["result"] == "not-exportable")
            #expect(try result.json["why"]?.string?.contains("device token") == true)
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test func `the password is typed twice at the terminal, unseen`() async throws {
        let simulator = simulator(.totp)
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let file = site.directory.appendingPathComponent("moving").path
            let terminal = try PseudoTerminal()
            let output = try await terminal.run(site, ["export", file]) { terminal in
                await terminal.waits(for: "[y/N]")
                terminal.type("y\n")
                await terminal.waits(for: "Password: ")
                terminal.type("correct horse battery\n")
                await terminal.waits(for: "The same again: ")
                terminal.type("correct horse battery\n")
            }
            #expect(output.contains("copied") && output.contains("code 0"), "\(output)")
            #expect(!terminal.shown.contains("horse"))
            let there = other(at: site)
            let refused = try PseudoTerminal()
            let question = try await refused.run(site, ["import", file] + there) { terminal in
                await terminal.waits(for: "Password: ")
                terminal.type("correct horse battery\n")
                await terminal.waits(for: "Take them? [y/N]")
                terminal.type("n\n")
            }
            #expect(question.contains("forgerock  Example Bank  jane  no server"), "\(question)")
            #expect(try await run(site, ["list", "--json"] + there).output.isEmpty)
            let imported = try await run(site, ["import", file, "--yes"] + Self.byPassword + there)
            #expect(imported.exitCode == 0, "\(imported.errors)")
        }
    }
}

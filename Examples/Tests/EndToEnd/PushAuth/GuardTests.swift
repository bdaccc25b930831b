import Foundation
import PushCore
import PushTesting
import Testing

@testable import push_lab

/// Keys that a passphrase or a key elsewhere guards.
@Suite(.timeLimit(.minutes(30))) struct `pushauth with a guard` {
    private static let passphrase = "correct horse battery"

    // MARK: A passphrase

    @Test(arguments: ["privacyidea", "keycloak"], [false, true])
    func `a passphrase opens the answers, and nobody else on the machine can read it`(
        name: String, isCredential: Bool
    ) async throws {
        let gate = Gate()
        try await PushAuthSite.run(atVendor: name, through: gate) { site, vendor in
            let enrolled = try await enroll(at: vendor, site, by: "deviceOwner")
            #expect(enrolled["guard"] == "deviceOwner")
            #expect(try await site.pushauth("list", "--json").json["guard"] == "deviceOwner")
            let login = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: vendor.simulator)
            let id = try await site.waiting()

            for command in ["approve", "deny"] {
                let none = try await site.pushauth(command, id, "--yes")
                #expect(none.exitCode == 6, "\(none.errors)")
                #expect(none.errors.contains("locked") && none.errors.contains("--guard-fd N"))
                let wrong = try await run(
                    [command, id, "--yes"], at: site, opening: "correct horse", isCredential)
                #expect(wrong.exitCode == 6, "\(wrong.errors)")
                #expect(wrong.errors.contains("It isn't the passphrase"), "\(wrong.errors)")
            }
            #expect(try await vendor.simulator.status(of: login.id) == .waiting)

            let knock = await gate.shut()
            let right = try await run(
                ["approve", id, "--yes"], at: site, opening: Self.passphrase, isCredential
            ) { process in
                await knock.wait()
                #if os(Linux)
                let arguments = try process.file("cmdline")
                #expect(arguments.contains(id) && !arguments.contains(Self.passphrase))
                let variables = try process.file("environ")
                #expect(!variables.contains(Self.passphrase))
                #endif
                await gate.open()
            }
            #expect(right.exitCode == 0, "\(right.errors)")
            #expect(!(right.output + right.errors).contains(Self.passphrase))
            #expect(try await vendor.simulator.status(of: login.id) == .approved)
        }
    }

    @Test func `the price is told first, and a no changes nothing`() async throws {
        try await PushAuthSite.run(atVendor: "privacyidea") { site, vendor in
            let id = try await site.join(vendor)
            let asked = try PseudoTerminal()
            let output = try await asked.run(site, ["guard", id, "deviceOwner"]) { terminal in
                await terminal.waits(for: "Guard it so? [y/N] ")
                terminal.type("\n")
            }
            #expect(output.contains("code 6\n"), "\(output)")
            for price in ["a no", "every question", "leave such an enrollment out", "token waits"] {
                #expect(output.contains(price), "\(output)")
            }
            #expect(try await site.pushauth("list", "--json").json["guard"] == nil)
        }
    }

    @Test func `a new passphrase is typed twice, unseen, and taken away by the old one alone`()
        async throws
    {
        try await PushAuthSite.run(atVendor: "privacyidea") { site, vendor in
            let id = try await site.join(vendor)
            for (second, code) in [("correct horse battered", 6), (Self.passphrase, 0)] {
                let terminal = try PseudoTerminal()
                let output = try await terminal.run(
                    site, ["guard", id, "deviceOwner", "--yes"]
                ) { terminal in
                    await terminal.waits(for: "New passphrase: ")
                    #expect(!terminal.isEchoing)
                    terminal.type(Self.passphrase + "\n")
                    await terminal.waits(for: "The same again: ")
                    terminal.type(second + "\n")
                }
                #expect(output.contains("code \(code)\n"), "\(output)")
                #expect(output.contains("Guard: deviceOwner") == (code == 0), "\(output)")
                #expect(!(output + terminal.shown).contains("horse"))
            }
            for (typed, code) in [("correct horse", 6), (Self.passphrase, 0)] {
                let terminal = try PseudoTerminal()
                let output = try await terminal.run(site, ["guard", id, "none"]) { terminal in
                    await terminal.waits(for: "Passphrase: ")
                    terminal.type(typed + "\n")
                }
                #expect(output.contains("code \(code)\n"), "\(output)")
                let left = try await site.pushauth("list", "--json").json["guard"]
                #expect(left == (code == 0 ? nil : "deviceOwner"))
            }
        }
    }

    @Test func `a short passphrase enrolls nobody`() async throws {
        try await PushAuthSite.run(atVendor: "privacyidea") { site, vendor in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await vendor.simulator.invitation(for: "jane").scannedText)
            let short = try await run(
                ["enroll", text, "--yes", "--guard", "deviceOwner"], at: site, opening: "horse")
            #expect(short.exitCode == 6 && short.errors.contains("fewer than 8 bytes"))
            let none = try await site.pushauth("enroll", text, "--yes", "--guard", "presence")
            #expect(none.exitCode == 6 && none.errors.contains("--guard-fd N"), "\(none.errors)")
            #expect(try await site.pushauth("list", "--json").output.isEmpty)
            #expect(await vendor.devices("jane").isEmpty)
        }
    }

    // MARK: A key

    @Test func `a key that is elsewhere opens the answers, and no other does`() async throws {
        try await PushAuthSite.run(atVendor: "privacyidea") { site, vendor in
            let key = String(repeating: "5a", count: 32)
            let enrolled = try await enroll(at: vendor, site, by: "presence", sealing: key)
            #expect(enrolled["guard"] == "presence")
            let login = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: vendor.simulator)
            let approving = ["approve", try await site.waiting(), "--yes"]
            for (other, words) in [
                (String(repeating: "5b", count: 32), "sealed with the key"), ("5a5a", "is no key"),
            ] {
                let result = try await run(approving, at: site, opening: other)
                #expect(result.exitCode == 6 && result.errors.contains(words), "\(result.errors)")
                #expect(!result.errors.contains(other))
            }
            #expect(try await vendor.simulator.status(of: login.id) == .waiting)
            let right = try await run(approving, at: site, opening: key)
            #expect(right.exitCode == 0, "\(right.errors)")
            #expect(try await vendor.simulator.status(of: login.id) == .approved)
        }
    }

    // MARK: What is no answer

    @Test(arguments: ["privacyidea", "keycloak"])
    func `a list and a device token wait for the passphrase`(name: String) async throws {
        try await PushAuthSite.run(atVendor: name) { site, vendor in
            let id = try #require(
                try await enroll(at: vendor, site, by: "deviceOwner")["id"]?.string)
            _ = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            let closed = try await site.pushauth("pending", "--json")
            #expect(closed.exitCode == 6 && closed.output.isEmpty, "\(closed.errors)")
            #expect(closed.errors.contains("--guard-fd N"))
            let listed = try await run(
                ["pending", "--json"], at: site, opening: Self.passphrase)
            #expect(listed.exitCode == 0, "\(listed.errors)")
            #expect(try listed.json["enrollment"]?.string == id)

            _ = try await site.pushauth("token", "set", "--fcm", "newer-token")
            let waiting = try await site.pushauth("list", "--json").json
            #expect(waiting["deviceToken"] == "waiting")
            let told = try await run(["refresh", id], at: site, opening: Self.passphrase)
            #expect(told.exitCode == 0, "\(told.errors)")
            let current = try await site.pushauth("list", "--json").json
            #expect(current["deviceToken"] == "current")
        }
    }

    // MARK: A daemon

    @Test func `a daemon answers by what a descriptor brought, push after push`() async throws {
        try await PushAuthSite.run(atVendor: "privacyidea") { site, vendor in
            _ = try await enroll(at: vendor, site, by: "deviceOwner")
            let policy = try site.file("policy.toml", "[[rule]]\naction = \"approve\"\n")
            var logins: [SimulatedLogin] = []
            for _ in 0..<2 {
                logins.append(try await vendor.simulator.startLogin(of: "jane", asking: .confirm))
            }
            let pushes = await vendor.simulator.takePushes()
                .map { String(decoding: $0.payload, as: UTF8.self) + "\n" }
            let result = try await run(
                ["listen", "--stdin", "--json", "--policy", policy], at: site,
                opening: Self.passphrase, input: pushes.joined())
            #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
            #expect(!(result.output + result.errors).contains("horse"))
            for login in logins {
                #expect(try await vendor.simulator.status(of: login.id) == .approved)
            }
        }
    }

    // MARK: Running it

    /// Enrolls jane under a guard.
    private func enroll(
        at vendor: ConsoleVendor, _ site: PushAuthSite, by policy: String,
        sealing secret: String = passphrase
    ) async throws -> JSON {
        _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
        let text = try #require(try await vendor.simulator.invitation(for: "jane").scannedText)
        let result = try await run(
            ["enroll", text, "--yes", "--json", "--guard", policy], at: site, opening: secret)
        try #require(result.exitCode == 0, "\(result.errors)")
        await vendor.settle("jane")
        return try result.json
    }

    /// Runs `pushauth` in the place of a shell that has noted its number, with a secret in a file that it
    /// is given by a descriptor, or as systemd gives credentials.
    private func run(
        _ arguments: [String], at site: PushAuthSite, opening secret: String,
        _ isCredential: Bool = false, input: String? = nil,
        meanwhile: (RunningProcess) async throws -> Void = { _ in }
    ) async throws -> Program.Result {
        let file = try site.file("pushauth.guard", secret + "\n")
        let numberFile = try site.file("number", "")
        let script = "echo $$ >'\(numberFile)'; exec \"$0\" \"$@\" 3<'\(file)'"
        let credential = ["CREDENTIALS_DIRECTORY": site.directory.path]
        let result = try await Program(at: URL(fileURLWithPath: "/bin/sh")).run(
            ["-c", script, Program("pushauth").executable.path] + arguments
                + (isCredential ? [] : ["--guard-fd", "3"]), text: input,
            environment: site.environment.merging(isCredential ? credential : [:]) { $1 },
            meanwhile: { _ in try await meanwhile(RunningProcess(numberFile: numberFile)) })
        OutputSchema.check(result.output, of: arguments)
        return result
    }
}

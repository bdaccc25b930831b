import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPrivacyIDEASimulator
import PushTesting
import TerminalIO
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What a stranger meets first: names that are misspelt, texts, and replies that nobody can read.
@Suite(.timeLimit(.minutes(3))) struct `pushauth and strangers` {
    // MARK: Names

    @Test(arguments: [
        ["list"], ["show", "ab"], ["pending"], ["watch", "--timeout", "1"], ["refresh"],
        ["remove", "ab", "--yes"], ["code", "ab"], ["approve", "ab"], ["history", "ab"],
        ["inbox", "ab"], ["token", "clear"],
    ])
    func `a store that is misspelt isn't made`(command: [String]) async throws {
        try await PushAuthSite.run { site in
            let place = site.directory.appendingPathComponent("misspelt").path
            let result = try await site.pushauth(
                command + ["--store", place])
            #expect(result.exitCode == 5, "\(result.errors)")
            #expect(result.errors.contains("There is no store at \(place)."), "\(result.errors)")
            let files = try FileManager.default.contentsOfDirectory(atPath: site.directory.path)
            #expect(!files.contains { $0.hasPrefix("misspelt") }, "\(files)")
        }
    }

    @Test(arguments: [
        (["lst"], "list"), (["token", "st"], "set"), (["lsten", "--fcm", "x"], "listen"),
    ])
    func `a command that is misspelt is answered with what may be meant`(
        arguments: [String], command: String
    ) async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(arguments)
            #expect(result.exitCode == 64 && result.output.isEmpty)
            #expect(result.errors.hasSuffix("Did you mean '\(command)'?\n"), "\(result.errors)")
        }
    }

    @Test func `what is near no command, or is one, has no other meaning`() {
        for arguments in [["xyzzy"], ["list", "lst"], ["--help"], [], ["token", "set", "st"]] {
            #expect(Suggestion(for: arguments).name == nil, "\(arguments)")
        }
    }

    @Test func `shells complete reasons, providers and IDs`() async throws {
        try await PushAuthSite.run { site in
            for shell in ["bash", "zsh", "fish"] {
                let script = try await site.pushauth("completions", shell).output
                for part in ["unexpected", "pushauth list 2>", "pushauth pending --offline 2>"] {
                    #expect(script.contains(part), "\(shell): \(part)")
                }
            }
        }
    }

    // MARK: Texts

    @Test(arguments: ["👨‍👩‍👧‍👦", "👩🏽‍🚀 at 9", "❤️‍🔥", "🏳️‍🌈!"])
    func `emoji families stay whole`(text: String) {
        #expect(printable(text) == text)
    }

    @Test(arguments: [
        ("a\u{200D}b", "a?b"), ("👨\u{200D}", "👨?"), ("\u{200D}👨", "?👨"), ("👨\u{200D}b", "👨?b"),
        ("1\u{200D}2", "1?2"), ("👨\u{200D}\u{200D}👩", "👨??👩"),
    ])
    func `what would hide between others doesn't`(text: String, shown: String) {
        #expect(printable(text) == shown)
    }

    @Test func `no message points at a page that an installed program hasn't`() throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../Programs")
            .standardizedFileURL
        var count = 0
        for folder in ["PushAuthCommand", "push-lab", "TerminalIO", "LinkedVendors", "LocalServer"]
        {
            let files = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                count += 1
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                    let code = line.components(separatedBy: " // ")[0]
                    #expect(!code.contains("docs/"), "\(file.lastPathComponent): \(line)")
                }
            }
        }
        #expect(count > 100)
    }

    @Test func `one enrollment is shown with more than a line`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run { site in
            let server = try await site.serve { await simulator.respond(to: $0, body: $1) }
            try await simulator.move(to: server.origin)
            let id = try await site.enroll(with: simulator, as: "jane")["id"]?.string ?? ""
            let shown = try await site.pushauth("show", id).output
            #expect(shown.hasPrefix("\(id)  active  forgerock"))
            #expect(shown.contains("\n  Server: 127.0.0.1:\(server.port)\n"), "\(shown)")
            #expect(shown.contains("\n  Device token: the vendor has the newest\n"), "\(shown)")
            #expect(try await site.pushauth("list").output.split(separator: "\n").count == 1)
            await server.stop()
        }
    }

    // MARK: Replies

    @Test(arguments: ["approve", "deny"])
    func `a reply above the limit is an answer that nobody knows`(command: String) async throws {
        let simulator = ForgeRockSimulator()
        let isHuge = Switch()
        let handler: LocalServer.Handler = { request, body in
            let reply = await simulator.respond(to: request, body: body)
            guard await isHuge.isOn else { return reply }
            return (reply.response, Data(repeating: 0x20, count: 8 << 20))
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            _ = try await site.enroll(with: simulator, as: "jane")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            await isHuge.turn(on: true)
            let result = try await site.pushauth(command, id, "--yes", "--json")
            #expect(result.exitCode == 9, "\(result.errors)")
            #expect(try result.json["id"] == .string(id))
            #expect(try result.json["outcome"] == "unknown")
        }
    }

    @Test func `an entry of a list that is refused is reported, and the others count`() async throws
    {
        var configuration = PrivacyIDEASimulator.Configuration(issuer: "Bank")
        configuration.serverKeys = .pool(of: 1)
        let simulator = PrivacyIDEASimulator(configuration)
        let handler: LocalServer.Handler = { request, body in
            let reply = await simulator.respond(to: request, body: body)
            let text = String(decoding: reply.body, as: UTF8.self)
            guard request.method == .get, text.contains("\"value\"") else { return reply }
            // One more, which nobody signed.
            return (
                reply.response,
                Data(text.replacing("\"value\":[", with: "\"value\":[{\"nonce\":\"x\"},").utf8)
            )
        }
        try await PushAuthSite.run(
            with: simulator, answering: handler,
            configuredBy: { _ in "[providers.privacyidea]\nlocal-hosts = true\n" }
        ) { site in
            let id = try await site.enroll(with: simulator, as: "jane")["id"]?.string ?? ""
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            let result = try await site.pushauth("pending", "--json")
            #expect(result.exitCode == 12, "\(result.errors)")
            #expect(
                result.errors.contains(
                    "An entry of the vendor's list for enrollment \(id) was refused"),
                "\(result.errors)")
            #expect(try result.json["state"] == "open")
        }
    }

    // MARK: The policy

    @Test func `SIGHUP reads the policy again, and ends nothing`() async throws {
        try await PushAuthSite.run { site in
            let rules = { (action: String) in "[[rule]]\nname = \"it\"\naction = \"\(action)\"\n" }
            let policy = try site.file("policy.toml", rules("deny"))
            let (output, errors) = (Pipe(), Pipe())
            let child = try ChildProcess(
                Program("pushauth").executable,
                [
                    "listen", "--fcm", "127.0.0.1:0", "--policy", policy, "--credentials",
                    site.directory.appendingPathComponent("credentials").path,
                ],
                environment: site.environment,
                streams: (.nullDevice, output.fileHandleForWriting, errors.fileHandleForWriting))
            defer { child.kill() }
            let lines = Lines.stream(from: errors.fileHandleForReading)
            func wait(for words: String) async {
                for await line in lines where line.contains(words) { return }
            }
            await wait(for: "listening")
            _ = try site.file("policy.toml", rules("ignore"))
            child.send(SIGHUP)
            await wait(for: "The policy was read again.")
            _ = try site.file("policy.toml", rules("perhaps"))
            child.send(SIGHUP)
            await wait(for: "the action is approve, deny or ignore")
            await wait(for: "The rules that were read before stand.")
            #expect(child.isRunning)
            child.interrupt()
            #expect(await child.ended().code == 130)
        }
    }

    @Test func `the rules that count are those that were read last`() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = directory.url.appendingPathComponent("policy.toml")
        func write(_ action: String) throws {
            try Data("[[rule]]\naction = \"\(action)\"\n".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        try write("deny")
        let policy = try StandingPolicy(file.path, providers: [])
        try write("ignore")
        #expect(policy.current.rules.first?.action == .deny(.unexpected))
        policy.readAgain()
        #expect(policy.current.rules.first?.action == .ignore)
        try write("perhaps")
        policy.readAgain()
        #expect(policy.current.rules.first?.action == .ignore)
    }

    @Test(arguments: ["choose", "enter"])
    func `a rule that approves a number without one is refused at the start`(kind: String) throws {
        let rule = "[[rule]]\nname = \"mine\"\nkind = [\"approve\", \"\(kind)\"]\n"
        let failure = #expect(throws: Failure.self) {
            try Policy(parsing: rule + "action = \"approve\"\n")
        }
        #expect(failure?.text.contains("'mine'") == true)
        #expect(failure?.text.contains("number = ") == true)
        _ = try Policy(parsing: rule + "action = \"deny\"\n")
        _ = try Policy(parsing: rule + "action = \"approve\"\nnumber = { env = \"N\" }\n")
    }
}

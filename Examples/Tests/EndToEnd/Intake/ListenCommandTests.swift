import Foundation
import HTTPTypes
import LocalServer
import PushCore
import TerminalIO
import Testing

@testable import PushAuthCommand

/// `pushauth listen` as a process, and what it prints.
struct ListenCommandTests {
    /// Runs it over a store of its own.
    private func listen(
        _ arguments: [String], in directory: URL, input: String = ""
    ) async throws -> Program.Result {
        try await Program("pushauth").run(
            ["listen", "--json", "--store", directory.appendingPathComponent("store").path]
                + arguments, text: input)
    }

    private func inDirectory(_ test: (URL) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try await test(directory.url)
    }

    @Test(arguments: [
        (#"{"a":1}"#, "foreign", Int32(10)),
        (#"{"message":"e30.e30.AAAA","messageId":"x"}"#, "refused", 12),
        ("no JSON", "failed", 12), ("", "", 10),
    ])
    func `what came from standard input decides the exit code`(
        _ line: String, _ event: String, _ code: Int32
    ) async throws {
        try await inDirectory { directory in
            let result = try await listen(["--stdin"], in: directory, input: line + "\n")
            #expect(result.exitCode == code)
            let events = try result.output.split(separator: "\n")
                .map { try JSON(parsing: String($0))["event"]?.string ?? "" }
            #expect(events == ["listening", event].filter { !$0.isEmpty })
        }
    }

    @Test func `a port that is taken ends it, with what to do on standard error`() async throws {
        let other = try await LocalServer.start { _, _ in nil }
        try await inDirectory { directory in
            for intake in ["--http", "--fcm", "--apns"] {
                let result = try await listen(
                    [intake, other.authority, "--credentials", directory.path + "/c"],
                    in: directory)
                #expect(result.exitCode == 1)
                #expect(result.errors.contains("\(other.port)"))
                #expect(result.errors.contains("0 to let the system choose"))
                #expect(result.output.isEmpty)
            }
        }
        await other.stop()
    }

    @Test func `a secret that others may read ends it, and isn't printed`() async throws {
        try await inDirectory { directory in
            let file = directory.appendingPathComponent("secret")
            try Data("0123456789abcdef".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: file.path)
            let result = try await listen(
                ["--http", "0", "--secret-file", file.path], in: directory)
            #expect(result.exitCode == 5)
            #expect(result.errors.contains(file.path))
            #expect(!(result.errors + result.output).contains("0123456789abcdef"))
        }
    }

    @Test func `the token of the intake is made once, and one that was set by hand stays`()
        async throws
    {
        try await inDirectory { directory in
            let file = DeviceTokenFile(besides: directory.path + "/store")
            let arguments = [
                "--apns", "0", "--credentials", directory.path + "/c", "--timeout", "1",
            ]
            #expect(try await listen(arguments, in: directory).exitCode == 10)
            let made = try file.read()
            #expect(made.apns?.utf8.count == 64)
            #expect(made.chosen.isEmpty)
            #expect(try await listen(arguments, in: directory).exitCode == 10)
            #expect(try file.read() == made)
            let set = try await Program("pushauth").run(
                ["token", "set", "--fcm", "mine", "--store", directory.path + "/store"])
            #expect(set.exitCode == 0)
            #expect(try await listen(arguments, in: directory).exitCode == 10)
            #expect(try file.read().chosen == [.fcm: .fcm("mine")])
        }
    }

    @Test func `the line that says it listens has every address`() {
        let event = ListenEvent.listening([
            "http": ["url": "http://127.0.0.1:1/push"], "apns": ["url": "https://127.0.0.1:2"],
            "stdin": [:],
        ])
        #expect(
            event.text(for: .output).hasSuffix(
                "http http://127.0.0.1:1/push, apns https://127.0.0.1:2, stdin"))
        #expect(event.json["intakes"]?["apns"]?["url"] == "https://127.0.0.1:2")
    }

    @Test func `the line that says it listens has the pause between two questions`() {
        let event = ListenEvent.listening([:], poll: 5)
        #expect(event.text(for: .output).hasSuffix("listening  asks every 5 seconds"))
        #expect(event.json == ["event": "listening", "intakes": [:], "poll": 5])
        let both = ListenEvent.listening(["stdin": [:]], poll: 60)
        #expect(both.text(for: .output).hasSuffix("stdin, asks every 60 seconds"))
    }

    @Test func `what an inbox lists is shown without what a terminal would obey`() {
        let event = ListenEvent.inbox(
            .init("activation", of: "acme"),
            InboxMessage(
                id: "7\u{1B}[2J", subject: "Your\u{202E} statement\u{1B}]0;x\u{7}", isRead: false))
        let line = event.text(for: .output)
        #expect(line.hasSuffix("Your statement]0;x (7?[2J)"), "\(line)")
        #expect(event.json["message"] == "7\u{1B}[2J")
        #expect(event.json["subject"] == "Your statement]0;x")
    }

    @Test func `a push that was dropped says why`() {
        let push = IncomingPush(message: PushMessage(fcm: [:]), intake: "fcm", drop: .expired)
        let event = ListenEvent.push(push, .dropped(.expired))
        #expect(event.json == ["event": "dropped", "intake": "fcm", "why": "expired"])
    }
}

import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// What options and surroundings come to that aren't as they should be.
@Suite(.timeLimit(.minutes(3))) struct `pushauth and its caller` {
    // MARK: Descriptors

    /// Runs it by a shell that opens nothing but the first three descriptors.
    private func run(
        _ arguments: [String], at site: PushAuthSite, with redirection: String = ""
    ) async throws -> Program.Result {
        let closing = (3...30).map { "\($0)<&-" }.joined(separator: " ")
        return try await Program(at: URL(fileURLWithPath: "/bin/bash")).run(
            [
                "-c", "exec \(closing); exec \"$0\" \"$@\" \(redirection)",
                Program("pushauth").executable.path,
            ] + arguments, environment: site.environment)
    }

    @Test(arguments: [
        ["approve", "ab", "--pin-fd"], ["listen", "--stdin", "--pin-fd"],
        ["enroll", "--user", "jane", "--password-fd"],
    ])
    func `a descriptor that the caller didn't open is refused at once`(
        _ arguments: [String]
    ) async throws {
        try await PushAuthSite.run { site in
            // Those of the event loop are among these.
            for number in 3...12 {
                let result = try await run(arguments + ["\(number)"], at: site)
                #expect(result.exitCode == 6, "\(number) \(result.output) \(result.errors)")
                #expect(
                    result.errors.hasPrefix(
                        "pushauth: File descriptor \(number) isn't open for this process.\n"))
                #expect(result.errors.contains("\(number)< FILE"))
            }
            #expect(!FileManager.default.fileExists(atPath: site.store.path))
        }
    }

    @Test func `a descriptor that the caller opened is read, whatever it is`() async throws {
        try await PushAuthSite.run { site in
            let pin = try site.file("pin", "1234\n")
            for redirection in ["3< \(pin)", "3< <(cat \(pin))", "3<<<1234"] {
                let result = try await run(
                    ["approve", "ab", "--pin-fd", "3"], at: site, with: redirection)
                #expect(result.exitCode == 3, "\(redirection) \(result.errors)")
            }
        }
    }

    // MARK: Files

    @Test(arguments: ["--tls-key", "--secret-file"])
    func `a file of the caller's own is never said to be removed`(_ option: String) async throws {
        try await PushAuthSite.run { site in
            let file = try site.file("own.pem", "0123456789abcdef0123456789abcdef")
            let certificate = try site.file("own-cert.pem", "x")
            let options =
                option == "--tls-key"
                ? [
                    "--tls-cert", certificate, option, file, "--credentials",
                    site.directory.path + "/c",
                ]
                : [option, file]
            for mode in [0o644, 0o600] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
                guard mode == 0o644 || option == "--tls-key" else { continue }
                let result = try await site.pushauth(["listen", "--http", "0"] + options)
                #expect(result.exitCode == 5)
                #expect(result.errors.contains(file))
                #expect(!result.errors.contains("emove"), "\(result.errors)")
                #expect(result.errors.contains("chmod 600") == (mode == 0o644))
            }
        }
    }

    // MARK: Answers

    @Test(arguments: ["approve", "deny"])
    func `after an answer has left, a failure says that nobody knows whether it was taken`(
        verb: String
    ) async throws {
        let simulator = ForgeRockSimulator()
        let isFlooding = Switch()
        let handler: LocalServer.Handler = { request, body in
            let reply = await simulator.respond(to: request, body: body)
            guard await isFlooding.isOn else { return reply }
            return (reply.response, Data(count: 6 << 20))
        }
        try await PushAuthSite.run(with: simulator, answering: handler) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            _ = try await site.deliver(from: simulator)
            let id = try await site.waiting()
            await isFlooding.turn(on: true)
            let result = try await site.pushauth(verb, id, "--yes")
            #expect(result.exitCode == 9, "\(result.output)\(result.errors)")
            #expect(
                try await simulator.status(of: login.id) == (verb == "deny" ? .denied : .approved))
        }
    }

    // MARK: Texts

    @Test func `blanks around the text of a code don't matter`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let result = try await site.pushauth("enroll", " \t\(text) \n", "--yes")
            #expect(result.exitCode == 0, "\(result.errors)")
            let blank = try await site.pushauth("enroll", " \n", "--yes")
            #expect(blank.exitCode == 1 && blank.errors.contains("is empty"))
        }
    }

    @Test(arguments: ["pushauth", "push-lab"])
    func `help fits a terminal that is too narrow for it`(name: String) async throws {
        for columns in ["0", "1", "26", "27", "28", "-5", "39"] {
            for arguments in [["--help"], ["--nonsense"], ["nonsense"]] {
                let result = try await Program(name).run(
                    arguments, environment: ["COLUMNS": columns])
                #expect(result.exitCode == (arguments == ["--help"] ? 0 : 64), "\(columns)")
                #expect((result.output + result.errors).contains(name))
            }
        }
    }

    // MARK: Providers

    @Test func `an enrollment whose provider isn't configured is named, with what to do`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let enrolled = try await site.enroll(with: simulator, as: "jane")
            let id = try #require(enrolled["id"]?.string)
            #expect(try await site.pushauth("list", "--json").json["configured"] == nil)
            try site.configure("[providers.forgerock]\nenabled = false\n")
            let listed = try await site.pushauth("list", "--json").json
            #expect(listed["id"] == .string(id) && listed["configured"] == false)
            let text = try await site.pushauth("list").output
            #expect(text.contains(id) && text.contains("not configured"), "\(text)")
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            let check = try doctor.lines.first { $0["check"] == "enrollment" }
            #expect(check?["status"] == "warning")
            #expect(check?["text"]?.string?.contains(id) == true)
            #expect(check?["next"]?.string?.contains("[providers.forgerock]") == true)
            let shown = try await site.pushauth("show", id)
            #expect(shown.exitCode == 0 && shown.output == text, "\(shown.errors)")
            let removed = try await site.pushauth("remove", id, "--yes")
            #expect(removed.exitCode == 3)
            #expect(removed.errors.contains("isn't configured"), "\(removed.errors)")
        }
    }
}

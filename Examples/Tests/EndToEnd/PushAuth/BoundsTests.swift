import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// What is too much is told, and costs neither memory nor what was kept before.
@Suite(.timeLimit(.minutes(15))) struct `pushauth has bounds` {
    /// Runs `pushauth` by a line of a shell, in which `"$@"` is the command.
    private func run(
        _ line: String, _ arguments: [String], at site: PushAuthSite
    ) async throws -> Program.Result {
        try await Program(at: URL(fileURLWithPath: "/bin/bash")).run(
            ["-c", line, "bash", Program("pushauth").executable.path] + arguments,
            environment: site.environment)
    }

    /// The commands that read standard input, and what each says of 100 MiB without a line's end.
    private static let readers: [(arguments: [String], says: String)] = [
        (["enroll", "-", "--yes"], "A line of standard input has more than 64 KiB."),
        (["enroll", "--from", "-"], "Standard input has more than 16 MiB."),
        (["scan", "-"], "Standard input has more than 64 KiB."),
        (
            [
                "sign", "0123456789ab", "--resource", "/login", "--factors", "possession", "--body",
                "-",
            ],
            "Standard input has more than 16 MiB."
        ),
        (["inspect", "-"], "Standard input has more than 16 MiB."),
        (["listen", "--stdin"], "A line of standard input has more than 64 KiB."),
    ]

    @Test func `endless standard input is read up to a bound by every command`() async throws {
        try await PushAuthSite.run(with: ForgeRockSimulator()) { site in
            for (arguments, says) in Self.readers {
                let result = try await run(
                    "ulimit -d 400000; head -c 104857600 /dev/zero | \"$@\"", arguments, at: site)
                let said = result.errors + result.output
                #expect(said.contains(says), "\(arguments): \(said)")
                #expect(result.exitCode < 64, "\(arguments)")
            }
        }
    }

    @Test func `an endless file, or picture's text, is read up to a bound as well`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let files = FileManager.default
            let folder = site.directory.path
            try files.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
            let tool = try site.file(
                "bin/zbarimg", "#!/bin/sh\nexec head -c 104857600 /dev/zero\n")
            let key = try site.file("key.pem", "key")
            try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tool)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            let picture = try site.file("code.pgm", "P5")
            try await site.enroll(with: simulator, as: "jane")
            _ = try await simulator.startLogin(of: "jane", asking: .number)
            let push = try #require(await simulator.takePushes().first).payload
            let pushes = try site.file("pushes", push + Data("\n".utf8))
            let policy = try site.file(
                "policy.toml",
                "[[rule]]\naction = 'approve'\nnumber = { file = '/dev/zero' }\n")
            let runs: [(line: String, arguments: [String], says: String)] = [
                (
                    "PATH='\(folder)/bin':$PATH \"$@\"", ["enroll", "--image", picture, "--yes"],
                    "What zbarimg reads in \(picture) has more than 1 MiB."
                ),
                (
                    "\"$@\"",
                    [
                        "listen", "--http", "127.0.0.1:0", "--credentials", folder + "/push",
                        "--tls-cert", "/dev/zero", "--tls-key", key,
                    ], "The file /dev/zero has more than 1 MiB."
                ),
                (
                    "\"$@\" <'\(pushes)'", ["listen", "--stdin", "--once", "--policy", policy],
                    "A line of the file /dev/zero has more than 4 KiB."
                ),
            ]
            for (line, arguments, says) in runs {
                let result = try await run("ulimit -d 400000; " + line, arguments, at: site)
                let said = result.errors + result.output
                #expect(said.contains(says), "\(arguments): \(said)")
                #expect(result.exitCode > 0 && result.exitCode < 64, "\(arguments)")
            }
        }
    }

    @Test func `the commands that read standard input are those that say so`() async throws {
        let help = try await Program("pushauth").run(["--experimental-dump-help"])
        let commands = try JSON(parsing: Data(help.output.utf8), limits: .init(bytes: 1 << 24))
        var saying: Set<String> = []
        for command in commands["command"]?["subcommands"]?.array ?? [] {
            let name = try #require(command["commandName"]?.string)
            let reads = (command["arguments"]?.array ?? []).contains {
                $0["abstract"]?.string?.contains("standard input") == true
            }
            if reads { saying.insert(name) }
        }
        #expect(saying == Set(Self.readers.compactMap(\.arguments.first)))
    }

    @Test(arguments: [3_000, 65_536])
    func `a device token that no service gives is refused, and nothing is kept of it`(
        _ length: Int
    ) async throws {
        try await PushAuthSite.run(with: ForgeRockSimulator()) { site in
            #expect(try await site.pushauth("token", "set", "--fcm", "lab-token").exitCode == 0)
            let file = URL(fileURLWithPath: site.store.path + ".tokens.json")
            let kept = try Data(contentsOf: file)
            for option in ["--fcm", "--apns"] {
                let result = try await site.pushauth(
                    ["token", "set", option, String(repeating: "a", count: length)])
                #expect(result.exitCode == 1, "\(result.errors)")
                #expect(result.errors.contains("token isn't 1 to"), "\(result.errors)")
            }
            #expect(try Data(contentsOf: file) == kept)
            #expect(try await site.pushauth("token", "set", "--fcm", "another").exitCode == 0)
        }
    }

    @Test func `a file beyond the user's limit is told in words, with what to do`() async throws {
        let simulator = PushAuthSite.oneTimeCodes
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let file = site.directory.appendingPathComponent("moving").path
            // What it says is a file otherwise, of which nothing could be written, either.
            let exported = try await run(
                "set -o pipefail; (ulimit -f 0; PASSWORD='correct horse' \"$@\") 2>&1 | cat",
                ["export", file, "--yes", "--password-env", "PASSWORD"], at: site)
            #expect(exported.exitCode == 5, "\(exported.output)")
            #expect(exported.output.contains("larger than this process may make"))
            #expect(exported.output.contains("`ulimit -f`"), "\(exported.output)")
            // A code by time moves nothing.
            #expect(!exported.output.contains("marked as moved"), "\(exported.output)")
            #expect(!FileManager.default.fileExists(atPath: file))
            let token = try await run(
                "set -o pipefail; (ulimit -f 0; \"$@\") 2>&1 | cat",
                ["token", "set", "--fcm", "next"], at: site)
            #expect(token.exitCode == 5, "\(token.output)")
            for text in [exported.output, token.output] {
                #expect(text.firstRange(of: /\bE[A-Z]{3,}\b/) == nil, "\(text)")
            }
        }
    }

    @Test(arguments: ["forgerock", "privacyidea"])
    func `enrolling where nothing can be written sends nothing, and the same code works later`(
        name: String
    ) async throws {
        try await PushAuthSite.run(atVendor: name) { site, vendor in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await vendor.simulator.invitation(for: "jane").scannedText)
            let full = try await run(
                "set -o pipefail; (ulimit -f 0; \"$@\") 2>&1 | cat", ["enroll", text, "--yes"],
                at: site)
            #expect(full.exitCode == 5, "\(full.output)")
            #expect(full.output.contains("larger than this process may make"), "\(full.output)")
            #expect(!full.output.contains("spent"), "\(full.output)")
            #expect(try await site.pushauth("list", "--json").output.isEmpty)
            let later = try await site.pushauth("enroll", text, "--yes")
            #expect(later.exitCode == 0, "\(later.errors)")
        }
    }

    @Test func `the next step fits what is wrong`() async throws {
        try await PushAuthSite.run(with: ForgeRockSimulator()) { site in
            let empty = try site.file("empty.pem", "")
            let authorities = try await site.pushauth("list", "--authorities", empty)
            #expect(authorities.exitCode == 5)
            #expect(authorities.errors.contains("holds no certificate"), "\(authorities.errors)")
            for path in [site.directory.path, "/dev/null"] {
                let key = try await site.pushauth("list", "--key-file", path)
                #expect(key.exitCode == 5)
                #expect(key.errors.contains("\(path) is no file"), "\(key.errors)")
                #expect(!key.errors.contains("chmod"), "\(key.errors)")
            }
            let variable = try await site.pushauth(
                "enroll", "--user", "jane", "--password-env", "NOTHING",
                environment: ["NOTHING": ""])
            #expect(variable.exitCode == 6)
            #expect(variable.errors.contains("'NOTHING' is empty"), "\(variable.errors)")
        }
    }
}

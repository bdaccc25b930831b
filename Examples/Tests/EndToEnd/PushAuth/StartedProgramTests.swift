import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// What the programs that `pushauth` starts learn of it.
@Suite(.timeLimit(.minutes(3))) struct `programs that pushauth starts` {
    /// What each program may find; a shell adds the last four itself.
    private let usual: Set = [
        "PATH", "HOME", "LANG", "TERM", "TZ", "PWD", "OLDPWD", "SHLVL", "_",
    ]

    private func names(in file: String) throws -> Set<String> {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        return Set(lines.map { String($0.prefix { $0 != "=" }) }.filter { !$0.hasPrefix("LC_") })
    }

    private func secrets(of site: PushAuthSite) throws -> [String: String] {
        let key = try String(contentsOf: site.keyFile, encoding: .utf8)
        return [
            "PUSHAUTH_KEY": key.trimmingCharacters(in: .newlines), "THE_PIN": "9713840",
            "CI_TOKEN": "topsecret", "CREDENTIALS_DIRECTORY": site.directory.path,
            "LC_ALL": "C", "SHOWN": "yes",
        ]
    }

    @Test func `a number's command finds neither the key nor a PIN nor another secret`()
        async throws
    {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .number)
            let found = site.directory.appendingPathComponent("found").path
            let policy = try site.file(
                "policy.toml",
                """
                [[rule]]
                action = "approve"

                [rule.number]
                command = ["sh", "-c", 'env >"$0"; echo \(login.shown ?? "")', '\(found)']
                inherit = ["SHOWN"]

                """)
            let push = try #require(await simulator.takePushes().first).payload
            let result = try await site.pushauth(
                "listen", "--stdin", "--once", "--policy", policy, "--pin-env", "THE_PIN",
                input: String(decoding: push, as: UTF8.self) + "\n",
                environment: try secrets(of: site))
            #expect(result.exitCode == 0, "\(result.errors)")
            #expect(try await simulator.status(of: login.id) == .approved)
            let names = try names(in: found)
            #expect(names.isSubset(of: usual.union(["SHOWN"])), "\(names)")
            #expect(names.isSuperset(of: ["PATH", "HOME", "SHOWN"]))
        }
    }

    @Test func `it doesn't get the descriptor that the PIN was read from`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let login = try await simulator.startLogin(of: "jane", asking: .number)
            let found = site.directory.appendingPathComponent("found").path
            let list = #"for at in /proc/self/fd/*; do readlink "$at"; done >"$0""#
            let policy = try site.file(
                "policy.toml",
                """
                [[rule]]
                action = "approve"
                number = { command = ["sh", "-c", '\(list); echo \(login.shown ?? "")', '\(found)'] }

                """)
            let push = try #require(await simulator.takePushes().first).payload
            let pushes = try site.file("pushes", push + Data("\n".utf8))
            let pin = try site.file("the-pin", "9713840\n")
            let script =
                #"exec "$0" listen --stdin --once --policy "$1" --pin-fd 3 3<"$2" <"$3""#
            let result = try await Program(at: URL(fileURLWithPath: "/bin/sh")).run(
                ["-c", script, Program("pushauth").executable.path, policy, pin, pushes],
                environment: site.environment)
            #expect(result.exitCode == 0, "\(result.errors)")
            let open = try String(contentsOfFile: found, encoding: .utf8)
            #expect(!open.isEmpty && !open.contains("the-pin"), "\(open)")
        }
    }

    @Test func `the reader of QR codes finds none either`() async throws {
        try await PushAuthSite.run { site in
            _ = try await site.pushauth("token", "set", "--fcm", "x")  // Makes the key.
            let found = site.directory.appendingPathComponent("found").path
            let tool = try site.file("zbarimg", "#!/bin/sh\nenv >'\(found)'\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: tool)
            var environment = try secrets(of: site)
            environment["PATH"] = "\(site.directory.path):/usr/bin:/bin"
            let picture = try site.file("code.png", "")
            let result = try await site.pushauth(
                "enroll", "--image", picture, environment: environment)
            #expect(result.exitCode == 1 && result.errors.contains("No QR code"))
            #expect(try names(in: found).isSubset(of: usual))
        }
    }
}

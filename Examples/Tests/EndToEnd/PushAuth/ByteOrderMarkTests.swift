import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

/// What people save by hand may begin with a byte order mark.
@Suite(.timeLimit(.minutes(3))) struct `a byte order mark before a text` {
    private let mark = "\u{FEFF}"

    @Test func `is no part of what a command reads`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let configuration = try String(contentsOf: site.configurationFile, encoding: .utf8)
            try Data((mark + configuration).utf8).write(to: site.configurationFile)
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            var texts: [String] = []
            for user in ["jane", "ada", "joe", "eve"] {
                let text = try #require(try await simulator.invitation(for: user).scannedText)
                texts.append(mark + text)
            }

            let list = try site.file("invitations", texts[0] + "\n")
            for result in [
                try await site.pushauth("enroll", "--from", list),
                try await site.pushauth("enroll", "-", "--yes", input: texts[1]),
                try await site.pushauth("enroll", texts[2], "--yes"),
            ] {
                #expect(result.exitCode == 0, "\(result.errors)")
            }
            for result in [
                try await site.pushauth("scan", "-", input: texts[3]),
                try await site.pushauth("scan", texts[3]),
            ] {
                // So its text was understood.
                #expect(result.errors.contains("It joins an account"), "\(result.errors)")
            }

            let inspected = try await site.pushauth(
                "inspect", "--json", input: mark + "{\n\"a\":1}\n")
            #expect(try inspected.json["form"] == "json")
            let key = try site.file("key", mark + "{}")
            let keyed = try await site.pushauth("inspect", "--key", key, input: "{}")
            #expect(keyed.errors.contains("holds no JWK"), "\(keyed.errors)")

            let policy = try site.file("policy.toml", mark + "[[rule]]\naction = 'deny'\n")
            let login = try await simulator.startLogin(of: "jane", asking: .confirm)
            let push = try #require(await simulator.takePushes().first).payload
            let listened = try await site.pushauth(
                "listen", "--stdin", "--once", "--policy", policy,
                input: mark + String(decoding: push, as: UTF8.self) + "\n")
            #expect(try await simulator.status(of: login.id) == .denied, "\(listened.errors)")
        }
    }
}

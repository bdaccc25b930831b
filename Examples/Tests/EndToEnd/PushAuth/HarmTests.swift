import Foundation
import PushCore
import PushForgeRockSimulator
import PushPlusAuthSimulator
import PushTesting
import TerminalIO
import Testing

@testable import PushAuthCommand

@Suite struct `pushauth with bad input` {
    // MARK: Usage

    @Test(arguments: [
        ["frobnicate"], ["--frob"], ["enroll"], ["enroll", "a", "--image", "b"], ["approve"],
        ["token", "set"], ["token", "set", "--fcm", "a", "--apns", "b"],
        ["watch", "--interval", "0"], ["watch", "--interval", "4"],
        ["choose", "ab"], ["completions", "tcsh"], ["inspect", "--scanned", "--link"],
        ["doctor", "--server", "ftp://acme.example"],
    ])
    func `refuses what it doesn't understand, and says so on standard error`(
        arguments: [String]
    ) async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth(arguments)
            #expect(result.exitCode == 64)
            #expect(result.errors.contains("Error: ") && result.output.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: site.store.path))
        }
    }

    @Test(arguments: ["show", "approve", "deny", "remove", "code", "inbox", "history", "refresh"])
    func `says that nothing has such an ID`(command: String) async throws {
        try await PushAuthSite.run { site in
            for id in ["ffff", "\u{1B}[31mx", ""] {
                let result = try await site.pushauth(command, id)
                #expect(result.exitCode == 3 && result.output.isEmpty)
                #expect(result.errors.contains("is known as"))
                #expect(!result.errors.contains("\u{1B}"))
            }
        }
    }

    // MARK: Store

    @Test func `refuses a store that others may use, and a key that they may read`()
        async throws
    {
        try await PushAuthSite.run { site in
            #expect(try await site.pushauth("list").exitCode == 0)
            for (path, right, wrong) in [
                (site.store.path, 0o700, 0o755), (site.keyFile.path, 0o600, 0o644),
            ] {
                try setMode(wrong, of: path)
                let result = try await site.pushauth("list")
                #expect(result.exitCode == 5 && result.errors.contains("chmod"))
                let doctor = try await site.pushauth("doctor", "--offline", "--json")
                #expect(doctor.exitCode == 1)
                #expect(
                    try doctor.lines.contains {
                        $0["status"] == "problem" && $0["next"]?.string?.contains("chmod") == true
                    })
                try setMode(right, of: path)
            }
            #expect(try await site.pushauth("doctor", "--offline").exitCode == 0)
        }
    }

    @Test func `refuses another key, and none, and changes nothing`() async throws {
        try await PushAuthSite.run { site in
            #expect(try await site.pushauth("token", "set", "--fcm", "x").exitCode == 0)
            let other = String(repeating: "ab", count: 32)
            let wrong = try await site.pushauth("list", environment: ["PUSHAUTH_KEY": other])
            #expect(wrong.exitCode == 5 && !wrong.errors.contains(other))
            #expect(wrong.errors.contains("pushauth doctor"))
            let short = try await site.pushauth("list", environment: ["PUSHAUTH_KEY": "abc"])
            #expect(short.exitCode == 5 && !short.errors.contains("abc"))
            let missing = try await site.pushauth("list", "--key-file", "/dev/null/none")
            #expect(missing.exitCode == 5)
            let key = try String(contentsOf: site.keyFile, encoding: .utf8)
            try FileManager.default.removeItem(at: site.keyFile)
            let gone = try await site.pushauth("list")
            #expect(gone.exitCode == 5 && gone.errors.contains("no key file"))
            #expect(!FileManager.default.fileExists(atPath: site.keyFile.path))
            // The same key in the environment, and as a credential of systemd.
            let digits = key.trimmingCharacters(in: .newlines)
            #expect(
                try await site.pushauth("list", environment: ["PUSHAUTH_KEY": digits]).exitCode == 0
            )
            let credential = try site.file("pushauth.key", key)
            try setMode(0o600, of: credential)
            #expect(
                try await site.pushauth(
                    "list", environment: ["CREDENTIALS_DIRECTORY": site.directory.path]
                ).exitCode == 0)
        }
    }

    @Test func `a damaged record stops none of the others, and doctor finds it`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let jane = try await site.enroll(with: simulator, as: "jane")["id"]
            let bob = try await site.enroll(with: simulator, as: "bob")["id"]
            // Two records lie in each of some folders, such as those of the device token: those of the
            // two enrollments in one of them.
            let folders = try FileManager.default.contentsOfDirectory(
                at: site.store, includingPropertiesForKeys: nil
            ).filter { $0.lastPathComponent.hasPrefix("c.") }
            let records = try folders.map {
                try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
            }
            var damaged: Program.Result?
            for pair in records where pair.count == 2 && damaged == nil {
                let content = try Data(contentsOf: pair[0])
                try Data("damaged".utf8).write(to: pair[0])
                let list = try await site.pushauth("list", "--json")
                if list.errors.contains("The record of enrollment") {
                    damaged = list
                } else {
                    try content.write(to: pair[0])
                }
            }
            let list = try #require(damaged)
            #expect(list.exitCode == 5)
            let left = try list.lines.map { $0["id"] }
            #expect(left.count == 1 && [jane, bob].contains(left[0]))
            let lost = try #require((left[0] == jane ? bob : jane)?.string)
            #expect(try await site.pushauth("show", lost).exitCode == 5)
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            #expect(doctor.exitCode == 1)
            #expect(
                try doctor.lines.contains { $0["check"] == "damaged" && $0["status"] == "problem" })
        }
    }

    // MARK: Configuration

    @Test(arguments: [
        ("[device\n", "line"), ("[devices]\nname = \"x\"", "devices"),
        ("[device]\ncolor = \"red\"", "color"), ("[device]\nname = 3", "'name' is missing, or"),
        ("[providers.acme]\nenabled = true", "acme"),
        ("[providers.onespan]\ndomain = \"x\"", "is missing"),
        (
            "[providers.onespan]\ndomain = \"x\"\nserver-keys = [\"%\"]\nrelay = \"https://a.example\"",
            "base64"
        ),
    ])
    func `says what is wrong with the configuration`(text: String, word: String) async throws {
        try await PushAuthSite.run { site in
            try site.configure(text, trusting: false)
            for command in [["list"], ["inspect", "--no-store"]] {
                let result = try await site.pushauth(command)
                #expect(result.exitCode == 5 && result.errors.contains(word), "\(result.errors)")
            }
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            #expect(doctor.exitCode == 1)
            #expect(try doctor.lines[0]["check"] == "configuration")
            #expect(try doctor.lines[0]["status"] == "problem")
        }
    }

    @Test func `a configuration that is named must be there`() async throws {
        try await PushAuthSite.run { site in
            let result = try await site.pushauth("list", "--config", "/dev/null/none.toml")
            #expect(result.exitCode == 5)
        }
    }

    // MARK: Strangers' texts

    @Test func `shows nothing that a terminal would obey`() async throws {
        let hostile = "A\u{1B}]0;x\u{7}\u{9B}2J\u{202E}\u{2066}z\u{2028}"
        let simulator = PlusAuthSimulator(.init(application: hostile))
        await simulator.configure {
            $0.info = ["application": .string(hostile), "location": ["city": .string(hostile)]]
        }
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "a\u{202E}b")
            _ = try await simulator.startLogin(of: "a\u{202E}b", asking: .confirm)
            let pushes = await simulator.takePushes().map {
                String(decoding: $0.payload, as: UTF8.self)
            }
            let push = try #require(pushes.first)
            var results = [
                try await site.pushauth("listen", "--stdin", input: push + "\n"),
                try await site.pushauth("inspect", "--reveal", input: push),
                try await site.pushauth("inspect", "--reveal", "--json", input: push),
            ]
            let id = try await site.waiting()
            for json in [[], ["--json"]] {
                for command in [
                    ["list"], ["pending", "--offline"], ["show", id], ["doctor", "--offline"],
                ] {
                    results.append(try await site.pushauth(command + json))
                }
            }
            results.append(try await site.pushauth("deny", id))
            for result in results {
                let text = result.output + result.errors
                #expect(!text.isEmpty)
                #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isHarmful }, "\(text)")
            }
        }
    }

    @Test func `JSON keeps what it can't show`() throws {
        let text = "a\u{1B}\u{9B}\u{202E}\u{2028}\u{1F468}\u{200D}\u{1F33E}\u{F0000}\n\"\\é"
        let line = JSON.string(text).line
        #expect(line.unicodeScalars.allSatisfy { !$0.isHarmful })
        #expect(line.contains("\\u202e") && line.contains("é"))
        #expect(try JSON(parsing: line) == .string(text))
    }

    private func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}

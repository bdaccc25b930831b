import Foundation
import LocalServer
import PushCore
import PushForgeRockSimulator
import PushPlatform
import PushTesting
import Testing

@Suite(.timeLimit(.minutes(3))) struct `pushauth with pins` {
    private static let reserve = ServerPins.example

    @Test func `talks to a server that shows a pinned key, and to no other`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run { site in
            let server = try await site.serve { await simulator.respond(to: $0, body: $1) }
            try await simulator.move(to: server.origin)
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let shown = try await Program("push-lab").run(["pin", server.authority, "--json"])
            let pin = try #require(try shown.json["certificates"]?.array?.first?["pin"]?.string)

            try site.configure(Self.pins("127.0.0.1", [Self.reserve[0], Self.reserve[1]]))
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let refused = try await site.pushauth("enroll", text, "--yes")
            #expect(refused.exitCode == 12 && refused.errors.contains("[pins]"))
            #expect(await simulator.exchanges.isEmpty)
            let problem = try await site.pushauth("doctor", "--json", "--server", server.origin)
            #expect(problem.exitCode == 1)
            let check = try #require(try problem.lines.first { $0["check"] == "server" })
            #expect(check["status"] == "problem")
            #expect(check["next"]?.string?.contains("push-lab pin \(server.authority)") == true)

            try site.configure(Self.pins("127.0.0.1", [Self.reserve[0], pin]))
            let joined = try await site.pushauth("enroll", text, "--yes")
            #expect(joined.exitCode == 0, "\(joined.errors)")
            let doctor = try await site.pushauth("doctor", "--json", "--server", server.origin)
            await server.stop()
            let words = try doctor.lines.first { $0["check"] == "pins" }?["text"]?.string ?? ""
            #expect(words.hasPrefix("127.0.0.1: "))
            #expect(words.contains(pin) && words.contains(Self.reserve[0]))
            let reached = try doctor.lines.first {
                $0["check"] == "server" && $0["status"] == "ok"
            }
            #expect(reached?["text"]?.string?.contains("a key of it is pinned") == true)
        }
    }

    @Test func `a host with a leading dot stands for those below`() async throws {
        try await PushAuthSite.run { site in
            try site.configure(Self.pins(".example.com", Self.reserve))
            let doctor = try await site.pushauth("doctor", "--offline", "--json")
            let check = try doctor.lines.first { $0["check"] == "pins" }
            #expect(check?["text"]?.string?.hasPrefix("example.com and every host below: ") == true)
        }
    }

    @Test(arguments: [
        ("bank.example", [reserve[0]], "two different pins"),
        ("bank.example", [reserve[0], "sha256/short"], "44 characters"),
        ("bank.example:443", reserve, "bank.example:443"),
        (".127.0.0.1", reserve, "no subdomains"),
    ])
    func `a rule that can't be used is named`(
        host: String, pins: [String], words: String
    ) async throws {
        try await PushAuthSite.run { site in
            try site.configure(Self.pins(host, pins))
            let result = try await site.pushauth("list")
            #expect(result.exitCode == 5 && result.output.isEmpty)
            #expect(result.errors.contains(host) && result.errors.contains(words))
        }
    }

    private static func pins(_ host: String, _ pins: [String]) -> String {
        """
        [providers.forgerock]
        local-hosts = true
        [pins]
        "\(host)" = [\(pins.map { "\"\($0)\"" }.joined(separator: ", "))]

        """
    }
}

extension ServerPins {
    /// Of keys that nobody has.
    fileprivate static let example = ["one", "two"].map { name in
        "sha256/" + Data((name + String(repeating: ".", count: 29)).utf8).base64EncodedString()
    }
}

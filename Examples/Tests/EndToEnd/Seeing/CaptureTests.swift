import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// What `pushauth --capture` writes, and what `push-lab replay` makes of it, by the real programs.
@Suite(.timeLimit(.minutes(5))) struct `a capture` {
    private static let policy = "[[rule]]\nname = \"all\"\naction = \"approve\"\n"
    private static let denying = "[[rule]]\nname = \"all\"\naction = \"deny\"\n"

    private func replay(_ file: String) async throws -> (code: Int32, rows: [JSON], errors: String)
    {
        let result = try await Program("push-lab").run(["replay", "--json", file])
        return (result.exitCode, try result.lines, result.errors)
    }

    /// Listens with a capture until the pushes are dealt with.
    private func listen(
        _ site: PushAuthSite, to pushes: [SimulatedPush], by policy: String, in file: String,
        pin: String = "24680"
    ) async throws -> Program.Result {
        let lines = pushes.map { String(decoding: $0.payload, as: UTF8.self) + "\n" }.joined()
        return try await site.pushauth(
            "listen", "--stdin", "--json", "--capture", file, "--policy",
            try site.file("policy.toml", policy), "--pin-env", "PIN", "--yes", input: lines,
            environment: ["PIN": pin])
    }

    // MARK: The same verdict

    @Test(arguments: LabVendors.all.map(\.name), [false, true])
    func `of a login plays to the same verdicts`(name: String, isDenied: Bool) async throws {
        let vendor = try #require(LabVendors.all.first { $0.name == name }).console()
        try await PushAuthSite.run(with: vendor) { site in
            _ = try await site.enroll(at: vendor, pin: "24680")
            await vendor.settle("jane")
            _ = try await site.pushauth("refresh", "--provider", name)
            let login = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            let file = site.directory.appendingPathComponent("a.pushcap").path
            let result = try await listen(
                site, to: vendor.simulator.takePushes(), by: isDenied ? Self.denying : Self.policy,
                in: file)
            #expect(
                try await vendor.simulator.status(of: login.id) == (isDenied ? .denied : .approved),
                "\(result.output) \(result.errors)")
            let replayed = try await replay(file)
            #expect(replayed.code == 0, "\(replayed.rows.map(\.text)) \(replayed.errors)")
            let events = replayed.rows.compactMap { $0["event"]?.string }
            #expect(events.contains("answer") && events.contains("message"), "\(events)")
            #expect(replayed.rows.allSatisfy { $0["result"] == "same" })
        }
    }

    @Test(arguments: ExpectedVendor.all.filter(\.signsPushes).map(\.name))
    func `of a push whose signature is wrong plays to the same refusal`(
        name: String
    ) async throws {
        let vendor = try #require(LabVendors.all.first { $0.name == name }).console()
        try await PushAuthSite.run(with: vendor) { site in
            _ = try await site.enroll(at: vendor, pin: "24680")
            _ = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            let file = site.directory.appendingPathComponent("a.pushcap").path
            let pushes = await vendor.simulator.takePushes().map(Self.forged)
            let result = try await listen(site, to: pushes, by: Self.policy, in: file)
            // A vendor that lists what waits is asked as well, and the genuine one is found there.
            #expect(result.output.contains("\"why\":\"untrusted\""), "\(result.output)")
            let replayed = try await replay(file)
            #expect(replayed.code == 0, "\(replayed.rows.map(\.text)) \(replayed.errors)")
            let recorded = replayed.rows.first?["recorded"]?.string ?? ""
            #expect(recorded.hasPrefix("refused, untrusted"), "\(recorded)")
            #expect(recorded.hasSuffix(" wrong"), "\(recorded)")
        }
    }

    @Test(arguments: SpoiltPush.all)
    func `of a push that is wrong otherwise plays to the same verdict`(
        _ push: SpoiltPush
    ) async throws {
        let vendor = try #require(LabVendors.all.first { $0.name == push.vendor }).console()
        try await PushAuthSite.run(with: vendor) { site in
            _ = try await site.enroll(at: vendor, pin: "24680")
            try await push.start(vendor.simulator)
            let file = site.directory.appendingPathComponent("a.pushcap").path
            let result = try await listen(
                site, to: vendor.simulator.takePushes(), by: Self.policy, in: file)
            let replayed = try await replay(file)
            #expect(
                replayed.code == 0,
                "\(result.output) \(replayed.rows.map(\.text)) \(replayed.errors)")
            let first = try #require(replayed.rows.first)
            #expect(first["event"] == "message" && first["result"] == "same")
            let recorded = first["recorded"]?.string ?? ""
            #expect(recorded.hasPrefix(push.verdict), "\(recorded)")
        }
    }

    /// The same push with another character in its signature.
    private static func forged(_ push: SimulatedPush) -> SimulatedPush {
        var text = String(decoding: push.payload, as: UTF8.self)
        let name = text.range(of: "\"signature\"")?.upperBound
        let quote = name.flatMap { text.range(of: "\"", range: $0..<text.endIndex)?.upperBound }
        guard let place = quote ?? text.range(of: ".", options: .backwards)?.upperBound else {
            return push
        }
        let middle = text.index(place, offsetBy: 8)
        text.replaceSubrange(middle...middle, with: text[middle] == "A" ? "B" : "A")
        return SimulatedPush(to: push.deviceToken, payload: Data(text.utf8))
    }

    @Test func `of an answer that was refused plays to the same refusal, and another one differs`()
        async throws
    {
        let vendor = ConsoleVendor.powerAuth()
        try await PushAuthSite.run(with: vendor) { site in
            _ = try await site.enroll(at: vendor, pin: "24680")
            await vendor.settle("jane")
            _ = try await site.pushauth("refresh", "--provider", "powerauth")
            _ = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            let file = site.directory.appendingPathComponent("a.pushcap").path
            let result = try await listen(
                site, to: vendor.simulator.takePushes(), by: Self.policy, in: file, pin: "11111")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.contains("\"verdict\":\"notTaken\""), "\(result.output) \(text)")
            let replayed = try await replay(file)
            #expect(replayed.code == 0, "\(replayed.rows.map(\.text)) \(replayed.errors)")
            // What a plugin would have to say if it were mistaken.
            let other = try site.file(
                "b.pushcap",
                text.replacing("\"verdict\":\"notTaken\"", with: "\"verdict\":\"code\""))
            let differing = try await replay(other)
            #expect(differing.code == 1)
            #expect(differing.rows.contains { $0["result"] == "differs" })
        }
    }

    // MARK: The file

    @Test(arguments: LabVendors.all.map(\.name))
    func `has nothing secret of what went through`(name: String) async throws {
        let vendor = try #require(LabVendors.all.first { $0.name == name }).console()
        let requests = Recorded()
        try await PushAuthSite.run(
            with: vendor.simulator,
            answering: { request, body in
                let reply = await vendor.simulator.respond(to: request, body: body)
                await requests.add(
                    request.path ?? "", request.headerFields.map(\.value).joined(separator: " "),
                    String(decoding: body, as: UTF8.self),
                    String(decoding: reply.body, as: UTF8.self))
                return reply
            }, configuredBy: vendor.configuration
        ) { site in
            let token = "canary-token-7781"
            _ = try await site.pushauth("token", "set", "--fcm", token)
            let invitation = try await vendor.simulator.invitation(for: "jane")
            let file = site.directory.appendingPathComponent("enroll.pushcap").path
            var arguments = ["enroll", "--yes", "--pin-env", "PIN", "--capture", file]
            var environment = ["PIN": "24680"]
            if case .credentials(let user, let password) = invitation {
                arguments += ["--user", user, "--password-env", "PASSWORD"]
                environment["PASSWORD"] = password.withBytes {
                    String(decoding: $0, as: UTF8.self)
                }
            } else {
                arguments.append(invitation.scannedText ?? "")
            }
            let enrolled = try await site.pushauth(arguments, environment: environment)
            try #require(enrolled.exitCode == 0, "\(enrolled.errors)")
            await vendor.settle("jane")
            _ = try await site.pushauth("refresh", "--provider", name)
            _ = try await vendor.simulator.startLogin(of: "jane", asking: .confirm)
            let pushes = await vendor.simulator.takePushes()
            let second = site.directory.appendingPathComponent("listen.pushcap").path
            _ = try await listen(site, to: pushes, by: Self.policy, in: second)
            let text = try [file, second].map { try String(contentsOfFile: $0, encoding: .utf8) }
                .joined()
            #expect(text.contains("\"event\":\"enroll\"") && text.contains("\"event\":\"answer\""))
            var secrets = Set(["24680", token, "jane", "127.0.0.1", "lab-token"])
            if let password = environment["PASSWORD"] { secrets.insert(password) }
            let passed =
                await requests.all + pushes.map { String(decoding: $0.payload, as: UTF8.self) }
            for text in passed + [invitation.scannedText ?? ""] {
                // Whatever is long and no word: keys, nonces, signatures, tokens, identifiers.
                for word in text.split(whereSeparator: {
                    !$0.isASCII || "\"{}[],:;&?=/ .\\'<>".contains($0)
                })
                where word.utf8.count >= 16 && word.contains(where: \.isNumber)
                    && !word.allSatisfy(\.isNumber)
                {
                    secrets.insert(String(word))
                }
            }
            #expect(secrets.count > 8)
            for secret in secrets {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    private actor Recorded {
        private(set) var all: [String] = []
        func add(_ texts: String...) { all += texts }
    }

    @Test func `overwrites no file, is its owner's alone, and survives SIGKILL`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "jane")
            let file = try site.file("old", "kept")
            let refused = try await site.pushauth("list", "--capture", file)
            #expect(refused.exitCode == 1)
            #expect(refused.errors.contains("a capture overwrites none"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
            let new = site.directory.appendingPathComponent("new.pushcap").path
            let listening = try ListeningProcess(
                ["--stdin", "--capture", new], environment: site.environment)
            _ = try await listening.event("listening")
            _ = try await simulator.startLogin(of: "jane", asking: .confirm)
            for push in await simulator.takePushes() { try listening.push(push) }
            _ = try await listening.event("question")
            await listening.kill()
            let mode = try FileManager.default.attributesOfItem(atPath: new)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let replayed = try await replay(new)
            #expect(replayed.code == 0, "\(replayed.rows.map(\.text)) \(replayed.errors)")
            let events = replayed.rows.compactMap { $0["event"]?.string }
            #expect(events == ["message", "open"])
        }
    }

    // MARK: Files that can't be played

    private static let header =
        #"{"pushcap":1,"program":"x","time":"2026-11-26T00:00:00.000Z","providers":{"p1":"forgerock"}}"#

    @Test(arguments: [
        ("", "line 1: This is no capture"), ("{}\n", "line 1: This is no capture"),
        ("\u{7F}ELF\n", "line 1: This is no capture"),
        (
            header.replacing("\"pushcap\":1", with: "\"pushcap\":2") + "\n",
            "line 1: The capture has version 2"
        ),
        (header + "\n{\"event\":\"mess", "line 2: The capture is cut"),
        (header + "\nnonsense\n", "line 2: This is no line of a capture"),
        (
            header + "\n{\"event\":\"message\",\"provider\":\"p9\"}\n",
            "line 2: The header has no provider 'p9'"
        ),
        (
            header.replacing("\"forgerock\"", with: "\"acme\"")
                + "\n{\"event\":\"step\"}\n{\"event\":\"message\",\"provider\":\"p1\"}\n",
            "line 3: It is about the vendor 'acme', which this program doesn't know"
        ),
        (
            header + "\n{\"event\":\"reply\",\"status\":1000}\n",
            "line 2: The status of a reply has three digits."
        ),
        (header + "\n", "0 verdicts played"),
    ])
    func `that can't be played says which line is at fault`(
        content: String, message: String
    ) async throws {
        let place = try TemporaryDirectory()
        defer { place.remove() }
        let file = place.url.appendingPathComponent("x.pushcap")
        try Data(content.utf8).write(to: file)
        let result = try await replay(file.path)
        #expect(result.code == 1)
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}

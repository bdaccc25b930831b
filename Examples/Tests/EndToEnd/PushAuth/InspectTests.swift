import Crypto
import Foundation
import PushCore
import PushForgeRockSimulator
import PushPlusAuthSimulator
import PushTesting
import Testing

@testable import PushAuthCommand

@Suite struct `pushauth inspect` {
    // MARK: Without an enrollment

    @Test func `shows a token's claims, marked unverified, without any enrollment`() async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            let push = try await push(of: simulator, site, as: "jane")
            let result = try await site.pushauth("inspect", "--no-store", "--json", input: push)
            #expect(result.exitCode == 3)
            let report = try result.json
            #expect(report["line"] == 1 && report["form"] == "json")
            let token = try #require(report["tokens"]?.array?.first)
            #expect(token["header"]?["alg"] == "HS256" && token["verified"] == false)
            #expect(token["claims"]?["t"]?.string == "120")
            #expect(token["claims"]?["c"]?.string?.hasSuffix(" characters>") == true)
            let view = try #require(report["providers"]?.array?.first)
            #expect(view["provider"] == "forgerock" && view["recognized"] == true)
            #expect(view["verified"] == false)
            #expect(view["why"] == "no enrollment, so nothing to verify with")
            for other in report["providers"]?.array?.dropFirst() ?? [] {
                #expect(other["recognized"] == false)
                let vendor = try ExpectedVendor.named(other["provider"]?.string ?? "")
                let why = vendor.needsSection ? "not configured" : "not its shape"
                #expect(other["why"]?.string?.contains(why) == true)
            }
            let text = try await site.pushauth("inspect", "--no-store", input: push)
            #expect(text.output.contains("UNVERIFIED") && text.exitCode == 3)
        }
    }

    @Test func `makes no store and no key`() async throws {
        try await PushAuthSite.run { site in
            _ = try await site.pushauth("inspect", input: "{\"a\": 1}")
            #expect(!FileManager.default.fileExists(atPath: site.store.path))
            #expect(!FileManager.default.fileExists(atPath: site.keyFile.path))
            let named = try await site.pushauth("inspect", "--store", "/dev/null/x", input: "{}")
            #expect(named.exitCode == 5 && named.errors.contains("--no-store"))
        }
    }

    // MARK: With the store

    @Test func `verifies with the store, and stores and sends nothing`() async throws {
        let simulator = ForgeRockSimulator()
        await simulator.configure { $0.loadBalancerCookie = "amlbcookie=02" }
        try await PushAuthSite.run(with: simulator) { site in
            let push = try await push(of: simulator, site, as: "jane")
            let before = try contents(of: site.store)
            let sent = await simulator.exchanges.count
            for _ in 0..<2 {
                let result = try await site.pushauth("inspect", "--json", input: push)
                #expect(result.exitCode == 0, "\(result.output)")
                let view = try #require(try result.json["providers"]?.array?.first)
                #expect(view["verified"] == true && view["kind"] == "notice")
                #expect(view["claims"]?["proof"] == "mac" && view["claims"]?["expired"] == false)
                #expect(view["why"] == nil)
                let enrollment = try await site.pushauth("list", "--json").json["id"]
                #expect(view["enrollment"] == enrollment)
            }
            #expect(try contents(of: site.store) == before)
            #expect(await simulator.exchanges.count == sent)
            #expect(try await site.pushauth("pending", "--offline", "--json").output.isEmpty)
        }
    }

    @Test func `says why a forged push is refused`() async throws {
        let simulator = PlusAuthSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            try await site.enroll(with: simulator, as: "ada")
            for bad in [PlusAuthSimulator.BadPush.algNone, .hs256, .wrongKey] {
                _ = try await simulator.startLogin(of: "ada", asking: .confirm, spoiledBy: bad)
                let push = try #require(await simulator.takePushes().first)
                let result = try await site.pushauth(
                    "inspect", "--json", input: String(decoding: push.payload, as: UTF8.self))
                #expect(result.exitCode == 12)
                let view = try #require(
                    try result.json["providers"]?.array?.first { $0["provider"] == "plusauth" })
                #expect(view["recognized"] == true && view["verified"] == false)
                #expect(view["why"]?.string?.hasPrefix("untrusted: ") == true)
            }
        }
    }

    @Test func `tells of a scanned text what it would join`() async throws {
        let simulator = ForgeRockSimulator(.init(issuer: "Example Bank"))
        try await PushAuthSite.run(with: simulator) { site in
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let result = try await site.pushauth(
                "inspect", "--scanned", "--json", "--reveal", input: text + "\nhello\n")
            let lines = try result.lines
            #expect(lines.map { $0["form"] } == ["scanned", "scanned"])
            let offer = try #require(lines[0]["providers"]?.array?.first?["offer"])
            #expect(offer["issuer"] == "Example Bank" && offer["account"] == "jane")
            #expect(lines[1]["providers"]?.array?.allSatisfy { $0["offer"] == nil } == true)
            #expect(result.exitCode == 3)
            #expect(await simulator.exchanges.isEmpty)
        }
    }

    // MARK: With a key

    @Test(arguments: ["HS256", "ES256", "RS256"])
    func `checks a token with a key of a file, and says which`(algorithm: String) async throws {
        try await PushAuthSite.run { site in
            let signer = try TokenSigner(algorithm)
            let token = try signer.token(["sub": "0123456789", "n": 1])
            for (name, content) in signer.keyFiles {
                let key = try site.file(name, content)
                let result = try await site.pushauth(
                    "inspect", "--key", key, "--json", input: "{\"context\":\"\(token)\"}")
                #expect(result.exitCode == 0, "\(name): \(result.output)\(result.errors)")
                let found = try #require(try result.json["tokens"]?.array?.first)
                #expect(found["at"] == "context" && found["verified"] == true)
                #expect(found["by"]?.string?.hasPrefix(algorithm) == true)
                #expect(found["claims"]?["sub"] == "<10 characters>" && found["claims"]?["n"] == 1)
                // Another signature, and the same text under another algorithm.
                let forged = try TokenSigner(algorithm).token(["sub": "0123456789", "n": 1])
                let refused = try await site.pushauth(
                    "inspect", "--key", key, "--json", input: forged)
                #expect(refused.exitCode == 12)
                #expect(try refused.json["form"] == "jwt")
                #expect(try refused.json["tokens"]?.array?.first?["verified"] == false)
                let other = try TokenSigner(algorithm == "HS256" ? "ES256" : "HS256")
                let confused = try await site.pushauth(
                    "inspect", "--key", key, "--json", input: try other.token(["a": 1]))
                #expect(confused.exitCode == 12)
                #expect(
                    try confused.json["tokens"]?.array?.first?["why"]?.string?
                        .contains("the file's key is for \(algorithm)") == true)
            }
        }
    }

    @Test func `a public key is no secret for HS256`() async throws {
        try await PushAuthSite.run { site in
            let signer = try TokenSigner("ES256")
            let pem = try #require(signer.keyFiles["key.pem"])
            // What an attacker would do: sign with the text of the public key.
            let forged = try TokenSigner(secret: Data(pem.utf8)).token(["sub": "a"])
            let key = try site.file("key.pem", pem)
            let result = try await site.pushauth("inspect", "--key", key, input: forged)
            #expect(result.exitCode == 12 && result.output.contains("UNVERIFIED"))
        }
    }

    @Test func `says what is wrong with a key file`() async throws {
        try await PushAuthSite.run { site in
            for content in [
                "", "{", "{\"kty\":\"oct\"}", "{\"keys\":[]}", "-----BEGIN PUBLIC KEY-----\nAAAA\n",
                "{\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"AA\",\"y\":\"AA\"}",
            ] {
                let key = try site.file("key", content)
                let result = try await site.pushauth("inspect", "--key", key, input: "{}")
                #expect(result.exitCode == 5 && result.output.isEmpty, "\(content)")
                #expect(result.errors.contains(key))
            }
        }
    }

    // MARK: Input

    @Test func `reads one object of any layout, or one on each line`() async throws {
        try await PushAuthSite.run { site in
            let pretty = "\n{\n  \"aps\": {\n    \"alert\": \"x\"\n  }\n}\n"
            let one = try await site.pushauth("inspect", "--json", input: pretty)
            #expect(try one.lines.map { $0["form"] } == ["apns"])
            let text = """
                {"a":1}

                {"a":1,"a":2}
                no
                {"message":{"token":"t","data":{"x":"1"}}}
                {"message":{"data":{"x":1}}}
                [1]
                {"data":{"x":"1"}}
                """
            let many = try await site.pushauth("inspect", "--json", input: text)
            #expect(many.exitCode == 12)
            #expect(try many.lines.map { $0["line"]?.integer } == Array(1...8))
            #expect(
                try many.lines.map { $0["form"]?.string }
                    == [
                        "json", "empty", "unreadable", "unreadable", "fcm", "unreadable",
                        "unreadable", "fcm",
                    ])
            #expect(
                try many.lines.allSatisfy { ($0["error"] != nil) == ($0["form"] == "unreadable") })
            #expect(try many.lines[4]["message"] == ["x": "1"])
            let file = try site.file("push.json", pretty)
            #expect(try await site.pushauth("inspect", "--json", file).output == one.output)
            for (path, word) in [
                (file + "x", "can't be read"), (site.directory.path, "can't be read"),
            ] {
                let result = try await site.pushauth("inspect", path)
                #expect(result.exitCode == 1 && result.errors.contains(word))
            }
            let empty = try await site.pushauth("inspect", input: "\n \n")
            #expect(empty.exitCode == 1 && empty.errors.contains("empty"))
        }
    }

    // MARK: Redaction

    @Test func `redacts long texts and what is named like a secret, nothing else`() {
        let json: JSON = [
            "alg": "HS256-like", "text": "123456", "long": "1234567", "pin": "1", "n": 12_345_678,
            "b": true, "z": .null, "list": ["1234567", 1, ["accessToken": "x"]],
            "myPassword": ["a"],
        ]
        #expect(
            Redaction(reveals: false)(json) == [
                "alg": "HS256-like", "text": "123456", "long": "<7 characters>",
                "pin": "<1 characters>", "n": 12_345_678, "b": true, "z": .null,
                "list": ["<7 characters>", 1, ["accessToken": "<1 characters>"]],
                "myPassword": ["<1 characters>"],
            ])
        #expect(Redaction(reveals: true)(json) == json)
    }

    @Test func `shows no text of a push unless it is told to`() async throws {
        let simulator = PlusAuthSimulator(.init(application: "Secret Enterprise"))
        try await PushAuthSite.run(with: simulator) { site in
            let push = try await push(of: simulator, site, as: "ada")
            for json in [[], ["--json"]] {
                let hidden = try await site.pushauth(
                    ["inspect", try site.file("push", push)] + json)
                #expect(hidden.exitCode == 0 && !hidden.output.contains("Enterprise"))
                let shown = try await site.pushauth(
                    ["inspect", "--reveal", try site.file("push", push)] + json)
                #expect(shown.exitCode == 0 && shown.output.contains("Secret Enterprise"))
            }
        }
    }

    // MARK: Shared

    private func push(
        of simulator: some VendorSimulator, _ site: PushAuthSite, as user: String
    ) async throws -> String {
        try await site.enroll(with: simulator, as: user)
        _ = try await simulator.startLogin(of: user, asking: .confirm)
        let payload = try #require(await simulator.takePushes().first).payload
        return String(decoding: payload, as: UTF8.self)
    }

    /// Every file of a directory.
    private func contents(of directory: URL) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
            contents[path] = FileManager.default.contents(
                atPath: directory.appendingPathComponent(path).path)
        }
        return contents
    }
}

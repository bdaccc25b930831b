import ExternalTool
import Foundation
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

/// What is signed, judged by OpenSSL.
@Suite struct BadChallengeTests {
    typealias Bad = PrivacyIDEASimulator.BadChallenge

    /// A server whose token's key the test knows.
    private func bench() async throws -> (bench: Bench, key: Data) {
        let bench = Bench()
        let code = try Code(try await bench.server.enrollmentURI(for: "ada", serial: "T1"))
        let reply = await bench.enroll(try Phone(serial: "T1"), code)
        let lines = try #require(reply.json?["detail"]?["public_key"]?.string)
        let pem = "-----BEGIN RSA PUBLIC KEY-----\n\(lines)\n-----END RSA PUBLIC KEY-----\n"
        return (bench, Data(pem.utf8))
    }

    private func isSigned(_ text: String, by key: Data, _ signature: [UInt8]) throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (keyFile, spki) = (folder.appending(path: "rsa"), folder.appending(path: "spki"))
        let file = folder.appending(path: "signature")
        try key.write(to: keyFile)
        try Data(signature).write(to: file)
        _ = try #require(
            ExternalTool.openSSL.run([
                "rsa", "-RSAPublicKey_in", "-in", keyFile.path, "-pubout", "-out", spki.path,
            ]))
        return ExternalTool.openSSL.run(
            ["dgst", "-sha256", "-verify", spki.path, "-signature", file.path],
            input: Data(text.utf8)) != nil
    }

    private func signedText(_ fields: JSON.Object) -> String {
        let names = [
            "nonce", "url", "serial", "question", "title", "sslverify", "require_presence",
        ]
        return names.compactMap { fields[$0]?.string }.joined(separator: "|")
    }

    private func holds(_ fields: JSON.Object, _ key: Data) throws -> Bool {
        guard let signature = try? bytes(base32: fields["signature"]?.string ?? "") else {
            return false
        }
        return try isSigned(signedText(fields), by: key, signature)
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL), arguments: [SimulatedLogin.Kind.confirm, .number])
    func `OpenSSL verifies a challenge and its capabilities`(
        kind: SimulatedLogin.Kind
    ) async throws {
        let (bench, key) = try await bench()
        let (_, fields, nonce) = try await bench.login(kind)
        #expect(try holds(fields, key))
        #expect(fields["capabilities"] == #"{"decline_reason": true}"#)
        let signed = #"{"capabilities":{"decline_reason":true},"nonce":"\#(nonce)"}"#
        let signature = try bytes(base32: try #require(fields["capabilities_signature"]?.string))
        #expect(try isSigned(signed, by: key, signature))
    }

    @Test(
        .enabled(if: ExternalTool.hasOpenSSL),
        arguments: [
            .tampered(field: "question", value: "All is well"),
            .tampered(field: "title", value: "Other"), .tampered(field: "nonce", value: "N"),
            .tampered(field: "url", value: "https://pi.example.com/ttype/pusH"),
            .tampered(field: "serial", value: "T2"), .tampered(field: "sslverify", value: "0"),
            .tampered(field: "require_presence", value: "1,2"), .wrongKey, .pss, .sha1,
            .signatureInBase64, .cutSignature, .emptySignature, .signatureOfCapabilities,
            .signedWithKey(ofToken: "T2"),
        ] as [Bad])
    func `a challenge that was changed or signed otherwise doesn't verify`(bad: Bad) async throws {
        let (bench, key) = try await bench()
        try await bench.enrolled("bob", serial: "T2")
        let fields = try await bench.login(spoiledBy: bad).fields
        #expect(try !holds(fields, key))
    }

    @Test(
        .enabled(if: ExternalTool.hasOpenSSL),
        arguments: [
            .signed(field: "url", value: "https://evil.example/ttype/push"),
            .signed(field: "sslverify", value: "2"), .signed(field: "nonce", value: ""),
            .signed(field: "question", value: "a|b"), .missing(field: "capabilities_signature"),
            .tampered(field: "capabilities", value: "{"), .capabilitiesOfAnotherNonce,
            .wrongCapabilitiesSignature, .capabilities(["decline_reason": false]), .repeated,
        ] as [Bad])
    func `a challenge that is signed as it stands verifies, whatever it says`(
        bad: Bad
    ) async throws {
        let (bench, key) = try await bench()
        let fields = try await bench.login(spoiledBy: bad).fields
        #expect(try holds(fields, key))
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL), arguments: [0, 8] as [UInt8])
    func `capabilities of another nonce are another's, whatever the nonce begins with`(
        firstByte: UInt8
    ) async throws {
        let (bench, key) = try await bench()
        bench.random.add([firstByte] + Array(repeating: 0, count: 19))
        let (_, fields, nonce) = try await bench.login(spoiledBy: .capabilitiesOfAnotherNonce)
        #expect(nonce.hasPrefix(firstByte == 0 ? "AA" : "BA"))
        let signed = #"{"capabilities":{"decline_reason":true},"nonce":"\#(nonce)"}"#
        let signature = try bytes(base32: try #require(fields["capabilities_signature"]?.string))
        #expect(try !isSigned(signed, by: key, signature))
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL))
    func `one signature has two readings`() async throws {
        let (bench, key) = try await bench()
        let moved = try await bench.login(.number, spoiledBy: .optionsInSSLVerify).fields
        #expect(moved["require_presence"] == nil)
        #expect(moved["title"] == "Example Bank|1")
        #expect(try holds(moved, key))
        let read = try await bench.login(spoiledBy: .titleReadAsOptions).fields
        #expect(read["require_presence"] == "A,B|1")
        #expect(try holds(read, key))
    }

    @Test func `the server takes an answer to what it sent spoiled`() async throws {
        let (bench, _) = try await bench()
        let (login, _, nonce) = try await bench.login(spoiledBy: .wrongKey)
        #expect(try await bench.answer(Phone(serial: "T1"), nonce).isYes)
        #expect(try await bench.server.finish(login.id))
    }

    @Test func `a field can be missing from a push and from the list`() async throws {
        let (bench, _) = try await bench()
        let fields = try await bench.login(spoiledBy: .missing(field: "title")).fields
        #expect(fields["title"] == nil)
        #expect(try await bench.listed(Phone(serial: "T1")) == [fields])
    }
}

import Crypto
import Foundation
import HTTPTypes
import LocalServer
import PushCore
import PushTesting
import Testing

@testable import PushAuthCommand
@testable import push_lab

/// Tokens that OpenSSL signed with the keys as they stand in the files.
struct IndependentSignatureTests {
    private let random = SeededRandom(seed: 9)

    /// A token whose signature OpenSSL makes.
    private func token(
        header: JSON.Object, claims: JSON.Object, keyPEM: String
    ) async throws -> CompactToken {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let names = ["key.pem", "signed", "signature"]
        let (key, signed, signature) = (names[0], names[1], names[2])
        let text =
            JSON.object(header).data.base64URL + "." + JSON.object(claims).data.base64URL
        try Data(keyPEM.utf8).write(to: directory.url.appendingPathComponent(key))
        try Data(text.utf8).write(to: directory.url.appendingPathComponent(signed))
        let paths = names.map { directory.url.appendingPathComponent($0).path }
        let child = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["openssl", "dgst", "-sha256", "-sign", paths[0], "-out", paths[2], paths[1]],
            streams: (.nullDevice, .nullDevice, .standardError))
        #expect(await child.ended().code == 0)
        var bytes = try Data(contentsOf: directory.url.appendingPathComponent(signature))
        if header["alg"] == "ES256" {
            bytes = try P256.Signing.ECDSASignature(derRepresentation: bytes).rawRepresentation
        }
        return try #require(CompactToken("\(text).\(bytes.base64URL)"))
    }

    @Test func `an assertion that OpenSSL signed with the key file's key is genuine`() async throws
    {
        let account = try await IntakeFixture.account
        let file = try JSON(parsing: account.file(tokenURL: "http://127.0.0.1:1/token"))
        let read = try #require(ServiceAccount(file.data))
        let token = try await token(
            header: ["alg": "RS256"], claims: ["iss": "x"],
            keyPEM: try #require(file["private_key"]?.string))
        #expect(read.signed(token))
        #expect(try await !IntakeFixture.stranger.signed(token))
    }

    @Test func `a provider token that OpenSSL signed with AuthKey.p8 is genuine`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let credentials = try CredentialsDirectory(directory.url.path)
        let key = try credentials.providerKey(random: random)
        try credentials.keep(key, url: "https://127.0.0.1:1")
        let pem = try String(contentsOfFile: credentials.path(.apnsKey), encoding: .utf8)
        let claims: JSON.Object = ["iss": .string(key.teamID), "iat": 1_790_000_000]
        let token = try await token(
            header: ["alg": "ES256", "kid": .string(key.keyID)], claims: claims, keyPEM: pem)
        let text = String(decoding: token.signed, as: UTF8.self) + "." + token.signature.base64URL
        try key.check(text, at: Date(timeIntervalSince1970: 1_790_000_000))
        #expect(throws: APNsReason.invalidProviderToken) {
            try credentials.make().check(text, at: Date(timeIntervalSince1970: 1_790_000_000))
        }
    }
}

extension CredentialsDirectory {
    /// A key of the same names, and another value.
    fileprivate func make() throws -> ProviderKey {
        let known = try providerKey(random: SeededRandom(seed: 1))
        return ProviderKey(
            keyID: known.keyID, teamID: known.teamID, topic: known.topic,
            key: P256.Signing.PrivateKey())
    }
}

import Crypto
import ExternalTool
import Foundation
import IndependentEncodings
import PushCore
import PushJOSE
import Testing

/// OpenSSL's command line checks what we sign, and signs what we check.
@Suite(.enabled(if: ExternalTool.hasOpenSSL)) struct OpenSSLInteropTests {
    /// Runs OpenSSL in a new directory that holds these files.
    private func run(
        _ arguments: [String], files: [String: Data], input: Data
    ) throws -> Data? {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, data) in files { try data.write(to: folder.appending(path: name)) }
        let located = arguments.map { argument in
            files.keys.contains(argument) ? folder.appending(path: argument).path() : argument
        }
        return ExternalTool.openSSL.run(located, input: input)
    }

    @Test func `OpenSSL verifies our ES256 signature, and refuses it over other bytes`() throws {
        let key = ES256PrivateKey(P256.Signing.PrivateKey())
        let parts = try key.compactJWS(of: Data("{}".utf8)).split(separator: ".")
        let ecdsa = try P256.Signing.ECDSASignature(
            rawRepresentation: try Base64.data(from: parts[2], as: .url))
        let files = [
            "key.pem": Data(key.publicKey.key.pemRepresentation.utf8),
            "signature.der": ecdsa.derRepresentation,
        ]
        let verify = ["dgst", "-sha256", "-verify", "key.pem", "-signature", "signature.der"]
        let message = Data("\(parts[0]).\(parts[1])".utf8)
        #expect(try run(verify, files: files, input: message) != nil)
        #expect(try run(verify, files: files, input: message + [0]) == nil)
    }

    @Test func `we verify what OpenSSL signed, once it is raw`() throws {
        let key = P256.Signing.PrivateKey()
        let message = Data("\(RFC7515A3.header).\(RFC7515A1.payload)".utf8)
        let der = try #require(
            try run(
                ["dgst", "-sha256", "-sign", "key.pem"],
                files: ["key.pem": Data(key.pemRepresentation.utf8)], input: message))
        let raw = try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation
        let publicKey = ES256PublicKey(key.publicKey)
        try publicKey.verify(raw, over: message)
        let code = refusal { try publicKey.verify(der, over: message) }
        #expect(code == .untrusted)
    }

    @Test func `OpenSSL and we agree on HS256`() throws {
        var generator = SeededGenerator(seed: 7)
        let bytes = generator.bytes(32)
        let message = Data("header.payload".utf8)
        let code = try #require(
            ExternalTool.openSSL.run(
                ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hex(bytes))", "-binary"],
                input: message))
        try HS256Key(Secret(bytes)).verify(code, over: message)
    }
}

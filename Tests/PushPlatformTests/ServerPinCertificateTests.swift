import ExternalTool
import Foundation
import PushCore
import PushPlatform
import Testing

@Suite struct `The pin of a certificate` {
    @Test(
        .enabled(if: ExternalTool.hasOpenSSL),
        arguments: [
            ["rsa:2048"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
            ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], ["ed25519"],
        ])
    func `is the one that OpenSSL computes`(kind: [String]) throws {
        let openSSL = ExternalTool.openSSL
        let certificate = try #require(
            openSSL.run(
                ["req", "-x509", "-nodes", "-keyout", "/dev/null", "-outform", "DER"]
                    + ["-subj", "/CN=acme.test", "-newkey"] + kind))
        let pem = try #require(
            openSSL.run(["x509", "-inform", "DER", "-pubkey", "-noout"], input: certificate))
        let key = try #require(openSSL.run(["pkey", "-pubin", "-outform", "DER"], input: pem))
        let digest = try #require(openSSL.run(["dgst", "-sha256", "-binary"], input: key))
        let pin = try ServerPin(certificate: certificate)
        #expect(pin.description == "sha256/" + digest.base64EncodedString())
    }

    @Test(arguments: [Data(), Data("-----BEGIN CERTIFICATE-----".utf8), Data([0x30, 0x00])])
    func `can't be had from what is none`(bytes: Data) throws {
        let error = try #require(throws: PushError.self) { try ServerPin(certificate: bytes) }
        #expect(error.code == .malformed)
    }
}

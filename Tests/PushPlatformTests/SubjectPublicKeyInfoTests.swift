import ExternalTool
import Foundation
import PushCore
import PushTransportRules
import Testing

@Suite struct `A certificate's key` {
    /// How OpenSSL is told to make a key of each kind.
    private static let kinds = [
        ["rsa:2048"], ["rsa:4096"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
        ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"], ["ed25519"],
    ]

    /// A certificate of a new key, in DER.
    private func certificate(
        _ kind: [String], _ options: [String] = [], keyFile: String = "/dev/null"
    ) throws -> Data {
        try #require(
            ExternalTool.openSSL.run(
                ["req", "-x509", "-nodes", "-keyout", keyFile, "-days", "1", "-outform", "DER"]
                    + ["-subj", "/O=Acme/CN=acme.test", "-newkey"] + kind + options))
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL), arguments: kinds)
    func `is found where OpenSSL finds it`(kind: [String]) throws {
        let certificate = try certificate(kind)
        let pem = try #require(
            ExternalTool.openSSL.run(
                ["x509", "-inform", "DER", "-pubkey", "-noout"], input: certificate))
        let expected = try #require(
            ExternalTool.openSSL.run(["pkey", "-pubin", "-outform", "DER"], input: pem))
        #expect(try SubjectPublicKeyInfo.bytes(ofCertificate: certificate) == expected)
        // Also where it doesn't start at zero.
        let longer = Data([1, 2, 3]) + certificate
        #expect(try SubjectPublicKeyInfo.bytes(ofCertificate: longer[3...]) == expected)
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL))
    func `is found in a certificate of version 1, too`() throws {
        let name = "key-\(UUID().uuidString).pem"
        let key = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        defer { try? FileManager.default.removeItem(at: key) }
        let modern = try certificate(["rsa:2048"], keyFile: key.path)
        let request = try #require(
            ExternalTool.openSSL.run(["req", "-new", "-key", key.path, "-subj", "/CN=acme.test"]))
        let certificate = try #require(
            ExternalTool.openSSL.run(
                ["x509", "-req", "-signkey", key.path, "-days", "1", "-outform", "DER"],
                input: request))
        // Behind the heads of two sequences, of four bytes each, stands the version, which version 1
        // leaves out (RFC 5280 section 4.1), or else the serial number.
        #expect(Array(modern.dropFirst(8).prefix(2)) == [0xA0, 3])
        #expect(certificate.dropFirst(8).first == 2)
        #expect(
            try SubjectPublicKeyInfo.bytes(ofCertificate: certificate)
                == SubjectPublicKeyInfo.bytes(ofCertificate: modern))
    }

    @Test(.enabled(if: ExternalTool.hasOpenSSL))
    func `isn't found in a certificate cut short or made longer`() throws {
        let certificate = try certificate(["ed25519"])
        for count in 0..<certificate.count {
            #expect(throws: PushError.self) {
                try SubjectPublicKeyInfo.bytes(ofCertificate: certificate.prefix(count))
            }
        }
        #expect(throws: PushError.self) {
            try SubjectPublicKeyInfo.bytes(ofCertificate: certificate + [0])
        }
    }

    /// Each byte of the certificate replaced by bytes that are lengths and tags at their worst.
    @Test(.enabled(if: ExternalTool.hasOpenSSL))
    func `is never read from beyond the certificate`() throws {
        let certificate = try certificate(["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
        for index in certificate.indices {
            for byte: UInt8 in [0x00, 0x30, 0x7F, 0x80, 0x81, 0x84, 0x88, 0xA0, 0xFF] {
                var damaged = certificate
                damaged[index] = byte
                let key = try? SubjectPublicKeyInfo.bytes(ofCertificate: damaged)
                #expect(key.map { damaged.range(of: $0) != nil } ?? true)
            }
        }
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x00], [0x30, 0x80], [0x30, 0x80, 0x00, 0x00], [0x30, 0x81],
            [0x30, 0x81, 0x00], [0x30, 0x82, 0x00, 0x01, 0x00],
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0x85, 0x01, 0x00, 0x00, 0x00, 0x00],
            [0x30, 0x88] + [UInt8](repeating: 0xFF, count: 8),
            [0x30, 0xFF], [0x30, 0x02, 0x30, 0x00], [0x30, 0x04, 0x30, 0x02, 0x30, 0x00],
            [UInt8](repeating: 0x30, count: 1 << 16), [UInt8](repeating: 0x00, count: 1 << 16),
            Array("-----BEGIN CERTIFICATE-----".utf8),
        ] as [[UInt8]])
    func `isn't found where there is none`(bytes: [UInt8]) throws {
        let error = try #require(throws: PushError.self) {
            try SubjectPublicKeyInfo.bytes(ofCertificate: Data(bytes))
        }
        #expect(error.code == .malformed)
    }
}

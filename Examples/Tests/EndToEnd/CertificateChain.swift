import Crypto
import Foundation
import NIOCore
import NIOSSL
import PushCore
import PushPlatform
import SwiftASN1
import X509

/// A key and a certificate for it, made on the spot.
struct TestCertificate {
    let certificate: Certificate
    private let key: Certificate.PrivateKey

    /// An authority; its own issuer unless one is given.
    static func authority(
        _ name: String, issuer: TestCertificate? = nil
    ) throws -> TestCertificate {
        try TestCertificate(
            name, issuer: issuer,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            })
    }

    /// A server's certificate.
    static func server(_ host: String, issuer: TestCertificate?) throws -> TestCertificate {
        let octets = host.split(separator: ".").compactMap { UInt8($0) }
        let name: GeneralName =
            octets.count == 4
            ? .ipAddress(ASN1OctetString(contentBytes: octets[...])) : .dnsName(host)
        return try TestCertificate(
            host, issuer: issuer,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([name])
            })
    }

    private init(
        _ name: String, issuer: TestCertificate?, extensions: Certificate.Extensions
    ) throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let subject = try DistinguishedName { CommonName(name) }
        self.key = key
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: .now - 3600, notValidAfter: .now + 86_400,
            issuer: issuer?.certificate.subject ?? subject, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
            issuerPrivateKey: issuer?.key ?? key)
    }

    var bytes: Data {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return Data(serializer.serializedBytes)
        }
    }

    var pem: String {
        get throws { try certificate.serializeAsPEM().pemString + "\n" }
    }

    var pin: ServerPin {
        get throws { try ServerPin(certificate: bytes) }
    }

    /// How a server presents it, with other certificates behind it.
    func tlsConfiguration(_ others: [TestCertificate] = []) throws -> TLSConfiguration {
        let chain = [self] + others
        var settings = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain.map {
                .certificate(try NIOSSLCertificate(bytes: Array(try $0.bytes), format: .der))
            },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(
                    bytes: Array(try key.serializeAsPEM().pemString.utf8), format: .pem)))
        settings.shutdownTimeout = .milliseconds(200)
        return settings
    }
}

/// A root, an intermediate authority below it, and a server's certificate below that.
struct CertificateChain {
    let root: TestCertificate
    let intermediate: TestCertificate
    let leaf: TestCertificate
    let directory: URL

    /// The root alone, as a PEM file.
    let rootFile: URL

    init(for host: String = "127.0.0.1") throws {
        root = try .authority("Root \(UUID().uuidString)")
        intermediate = try .authority("Intermediate \(UUID().uuidString)", issuer: root)
        leaf = try .server(host, issuer: intermediate)
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("chain-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        rootFile = directory.appendingPathComponent("root.pem")
        try Data(root.pem.utf8).write(to: rootFile)
    }

    /// Removes what was written.
    func remove() {
        try? FileManager.default.removeItem(at: directory)
    }

    /// How a server presents the chain, without its root.
    func tlsConfiguration(_ extra: [TestCertificate] = []) throws -> TLSConfiguration {
        try leaf.tlsConfiguration([intermediate] + extra)
    }

    /// A transport that trusts the root, and holds a host to pins and one that nobody has.
    func transport(
        _ pins: [ServerPin], for host: String = "127.0.0.1", includesSubdomains: Bool = false
    ) throws -> CurlTransport {
        let reserve = try ServerPin(digest: Data(repeating: 0xA5, count: 32))
        let rules = try ServerPins([
            .init(host: host, includesSubdomains: includesSubdomains, pins: pins + [reserve])
        ])
        return CurlTransport(
            .init(
                plainHTTP: .loopbackOnly, certificateAuthorities: .file(rootFile.path), pins: rules)
        )
    }
}

import Crypto
import Foundation
import NIOCore
public import NIOSSL
import SwiftASN1
import X509

/// A server's key, and a certificate for it.
public struct LocalIdentity: Sendable {
    let certificate: Certificate
    let key: Certificate.PrivateKey

    /// Creates an identity for which nobody but itself vouches.
    ///
    /// - Parameter host: The name or the IPv4 address that clients will use.
    /// - Throws: What making the certificate throws.
    public static func selfSigned(for host: String = "127.0.0.1") throws -> LocalIdentity {
        let name = try DistinguishedName { CommonName(host) }
        return try LocalIdentity(
            host: host, lifetime: -3600...86_400, issuer: name, issuerKey: nil)
    }

    init(
        host: String, lifetime: ClosedRange<TimeInterval>, issuer: DistinguishedName,
        issuerKey: Certificate.PrivateKey?
    ) throws {
        key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: .now + lifetime.lowerBound, notValidAfter: .now + lifetime.upperBound,
            issuer: issuer, subject: try DistinguishedName { CommonName(host) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([Self.name(of: host)])
            },
            issuerPrivateKey: issuerKey ?? key)
    }

    /// How a server presents it.
    public func tlsConfiguration() throws -> TLSConfiguration {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        let presented = try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der)
        let keyText = try key.serializeAsPEM().pemString
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(presented)],
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(keyText.utf8), format: .pem)))
        // A client that keeps an idle connection never answers the goodbye; the default is 5 s.
        configuration.shutdownTimeout = .milliseconds(200)
        return configuration
    }

    private static func name(of host: String) -> GeneralName {
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
            .compactMap { UInt8($0) }
        return octets.count == 4
            ? .ipAddress(ASN1OctetString(contentBytes: octets[...])) : .dnsName(host)
    }
}

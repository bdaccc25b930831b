import Crypto
public import Foundation
import NIOCore
public import NIOSSL
import SwiftASN1
import X509

/// A server's or a client's key, and a certificate for it.
public struct LocalIdentity: Sendable {
    private let certificates: [Certificate]
    private let key: Certificate.PrivateKey

    /// Creates an identity for which nobody but itself vouches.
    ///
    /// - Parameter host: The name or the address that clients will use.
    /// - Returns: The key and its certificate.
    /// - Throws: What making the certificate throws.
    public static func selfSigned(for host: String = "127.0.0.1") throws -> LocalIdentity {
        let name = try DistinguishedName { CommonName(host) }
        return try LocalIdentity(
            host: host, lifetime: -3600...86_400, issuer: name, issuerKey: nil)
    }

    /// Reads an identity.
    ///
    /// - Parameters:
    ///   - certificates: A PEM text with the certificate, and then those that lead to its authority.
    ///   - key: A PEM text with its private key; may be the same text.
    /// - Throws: What reading them throws, and ``Mismatch`` if they don't belong together.
    public init(certificates: String, key: String) throws {
        self.certificates = try PEMDocument.parseMultiple(pemString: certificates)
            .filter { $0.discriminator == Certificate.defaultPEMDiscriminator }
            .map { try Certificate(pemDocument: $0) }
        guard
            let document = try PEMDocument.parseMultiple(pemString: key)
                .first(where: { $0.discriminator.hasSuffix("PRIVATE KEY") })
        else { throw Mismatch() }
        self.key = try Certificate.PrivateKey(pemDocument: document)
        guard self.certificates.first?.publicKey == self.key.publicKey else { throw Mismatch() }
    }

    /// There is no key, or the first certificate isn't the key's.
    public struct Mismatch: Error {}

    /// Its certificates, as PEM.
    public var certificatesPEM: String {
        get throws {
            try certificates.map { try $0.serializeAsPEM().pemString }.joined(separator: "\n")
        }
    }

    /// Its private key, as PEM.
    public var keyPEM: String { get throws { try key.serializeAsPEM().pemString } }

    /// Its certificate, as that of a client.
    public var clientCertificate: ClientCertificate? {
        certificates.first.map { ClientCertificate($0) }
    }

    /// Whether clients that use a name or an address will take its certificate at a moment.
    public func isValid(for host: String, at date: Date) -> Bool {
        guard let certificate = certificates.first,
            certificate.notValidBefore <= date, certificate.notValidAfter >= date,
            let names = try? certificate.extensions.subjectAlternativeNames
        else { return false }
        return names.contains(Self.name(of: host))
    }

    init(
        host: String, lifetime: ClosedRange<TimeInterval>, issuer: DistinguishedName,
        issuerKey: Certificate.PrivateKey?
    ) throws {
        try self.init(
            try DistinguishedName { CommonName(host) }, lifetime: lifetime, issuer: issuer,
            issuerKey: issuerKey,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([Self.name(of: host)])
            })
    }

    init(
        client: DistinguishedName, lifetime: ClosedRange<TimeInterval>, issuer: DistinguishedName,
        issuerKey: Certificate.PrivateKey
    ) throws {
        try self.init(
            client, lifetime: lifetime, issuer: issuer, issuerKey: issuerKey,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.clientAuth])
            })
    }

    private init(
        _ subject: DistinguishedName, lifetime: ClosedRange<TimeInterval>,
        issuer: DistinguishedName, issuerKey: Certificate.PrivateKey?,
        extensions: Certificate.Extensions
    ) throws {
        key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        var extensions = extensions
        if let issuerKey {
            // Strict clients want it, Python's for one (RFC 5280, section 4.2.1.1).
            let issuerID = SubjectKeyIdentifier(hash: issuerKey.publicKey).keyIdentifier
            try extensions.append(
                Certificate.Extension(
                    AuthorityKeyIdentifier(keyIdentifier: issuerID), critical: false))
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: .now + lifetime.lowerBound, notValidAfter: .now + lifetime.upperBound,
            issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: extensions, issuerPrivateKey: issuerKey ?? key)
        certificates = [certificate]
    }

    /// How a server presents it.
    public func tlsConfiguration() throws -> TLSConfiguration {
        let presented = try certificates.map { certificate in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return NIOSSLCertificateSource.certificate(
                try NIOSSLCertificate(bytes: serializer.serializedBytes, format: .der))
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: presented,
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem)))
        configuration.minimumTLSVersion = .tlsv12
        // A client that keeps an idle connection never answers the goodbye; the default is 5 s.
        configuration.shutdownTimeout = .milliseconds(200)
        return configuration
    }

    private static func name(of host: String) -> GeneralName {
        var address = in6_addr()
        if inet_pton(AF_INET6, host, &address) == 1 {
            return .ipAddress(
                ASN1OctetString(contentBytes: withUnsafeBytes(of: address) { Array($0)[...] }))
        }
        let octets = host.utf8.split(
            separator: UInt8(ascii: "."), omittingEmptySubsequences: false
        ).compactMap { UInt8(Substring($0)) }
        return octets.count == 4
            ? .ipAddress(ASN1OctetString(contentBytes: octets[...])) : .dnsName(host)
    }
}

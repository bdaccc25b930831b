import Crypto
public import Foundation
import SwiftASN1
import X509

/// A certificate authority made on the spot, for servers on this machine and their clients.
///
/// Its certificate is written to a new temporary directory, so that a client can be told to trust
/// it and nobody else; its key never leaves the process.
public struct LocalAuthority: Sendable {
    /// Its certificate, as a PEM file.
    public let certificateFile: URL

    /// Its certificate, as PEM.
    public var certificatePEM: String {
        get throws { try certificate.serializeAsPEM().pemString }
    }

    private let certificate: Certificate
    private let key: Certificate.PrivateKey

    /// Creates an authority.
    ///
    /// - Parameter lifetime: How long it is valid, in seconds from now; a day by default.
    /// - Throws: What making the certificate or writing its file throws.
    public init(lifetime: TimeInterval = 86_400) throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        self.key = key
        let name = try DistinguishedName { CommonName("Local authority \(UUID().uuidString)") }
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: .now - 3600, notValidAfter: .now + lifetime, issuer: name,
            subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
                SubjectKeyIdentifier(hash: key.publicKey)
            },
            issuerPrivateKey: key)
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("local-authority-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true)
        certificateFile = directory.appendingPathComponent("authority.pem")
        try Data(certificate.serializeAsPEM().pemString.utf8).write(to: certificateFile)
    }

    /// Removes the file and its directory.
    public func removeFile() {
        try? FileManager.default.removeItem(at: certificateFile.deletingLastPathComponent())
    }

    /// Vouches for a new server key.
    ///
    /// - Parameters:
    ///   - host: The name or the address that clients will use.
    ///   - lifetime: When the certificate is valid, relative to now, in seconds.
    /// - Returns: The key and its certificate.
    /// - Throws: What making the certificate throws.
    public func identity(
        for host: String = "127.0.0.1", lifetime: ClosedRange<TimeInterval> = -3600...86_400
    ) throws -> LocalIdentity {
        try LocalIdentity(
            host: host, lifetime: lifetime, issuer: certificate.subject, issuerKey: key)
    }

    /// Vouches for a new client key.
    ///
    /// - Parameters:
    ///   - userID: The user identifier of its subject (RFC 4519, section 2.39).
    ///   - unit: The organizational unit of its subject.
    ///   - lifetime: When the certificate is valid, relative to now, in seconds.
    /// - Returns: The key and its certificate.
    /// - Throws: What making the certificate throws.
    public func clientIdentity(
        userID: String, unit: String, lifetime: ClosedRange<TimeInterval> = -3600...86_400
    ) throws -> LocalIdentity {
        let name = DistinguishedName([
            RelativeDistinguishedName(.init(type: .userID, utf8String: userID)),
            RelativeDistinguishedName(
                .init(type: .RDNAttributeType.organizationalUnitName, utf8String: unit)),
        ])
        return try LocalIdentity(
            client: name, lifetime: lifetime, issuer: certificate.subject, issuerKey: key)
    }
}

import SwiftASN1
import X509

/// Whose certificates a server takes from its clients.
public struct ClientTrust: Sendable {
    private let authorities: CertificateStore

    /// Trusts an authority.
    ///
    /// - Parameter authorities: Its certificate, or those of several, as PEM.
    /// - Throws: What reading them throws.
    public init(authorities: String) throws {
        self.authorities = CertificateStore(
            try PEMDocument.parseMultiple(pemString: authorities).map(Certificate.init))
    }

    /// Whether one of the authorities vouches for a certificate now (RFC 5280, section 6), as that
    /// of a client.
    public func vouches(for client: ClientCertificate) async -> Bool {
        guard let certificate = client.certificate,
            let usage = try? certificate.extensions.extendedKeyUsage, usage.contains(.clientAuth)
        else { return false }
        var verifier = Verifier(rootCertificates: authorities) { RFC5280Policy() }
        let result = await verifier.validate(
            leaf: certificate, intermediates: CertificateStore())
        guard case .validCertificate = result else { return false }
        return true
    }
}

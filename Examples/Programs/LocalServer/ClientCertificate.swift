public import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A client's certificate.
public struct ClientCertificate: Sendable {
    /// `nil` for one that can't be read, which nobody vouches for.
    let certificate: Certificate?

    init(_ certificate: Certificate) {
        self.certificate = certificate
    }

    /// A certificate as a handshake brought it.
    init(_ certificate: NIOSSLCertificate) {
        self.certificate = try? Certificate(derEncoded: certificate.toDERBytes())
    }

    /// The user identifier of its subject (RFC 4519, section 2.39).
    public var userID: String? { name(.userID) }

    /// The organizational unit of its subject.
    public var unit: String? { name(.RDNAttributeType.organizationalUnitName) }

    /// Whether its time has begun, and isn't over.
    public func isValid(at date: Date) -> Bool {
        guard let certificate else { return false }
        return certificate.notValidBefore <= date && date <= certificate.notValidAfter
    }

    /// `nil` unless there is exactly one, as a text.
    private func name(_ type: ASN1ObjectIdentifier) -> String? {
        let found = certificate?.subject.flatMap { $0 }.filter { $0.type == type } ?? []
        return found.count == 1 ? String(found[0].value) : nil
    }
}

extension ASN1ObjectIdentifier {
    static let userID: ASN1ObjectIdentifier = [0, 9, 2342, 19_200_300, 100, 1, 1]
}

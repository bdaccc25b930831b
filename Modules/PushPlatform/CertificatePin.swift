import Crypto
public import PushCore
public import PushTransportRules

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ServerPin {
    /// The pin of a certificate's key.
    ///
    /// It verifies nothing: a pin is only as trustworthy as the way by which the certificate came.
    ///
    /// - Parameter certificate: An X.509 certificate in DER.
    /// - Throws: `PushError` with the code `malformed` if it isn't one.
    public init(certificate: Data) throws(PushError) {
        let key = try SubjectPublicKeyInfo.bytes(ofCertificate: certificate)
        try self.init(digest: Data(SHA256.hash(data: key)))
    }
}

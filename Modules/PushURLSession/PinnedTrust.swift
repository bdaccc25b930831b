// Security is Apple's.
#if canImport(Security)
import CryptoKit
import Foundation  // for Data as Security hands it over
import PushCore
import PushTransportRules
import Security

/// A server's chain, looked at for pinned keys.
enum PinnedTrust {
    /// Verifies a chain, then looks through what was verified: what the server presented may hold
    /// any certificate, and so proves nothing.
    ///
    /// - Returns: Why the server can't be trusted; nil if its chain holds and has a pinned key.
    static func fault(of trust: SecTrust, by pins: Set<ServerPin>) -> PushError.Code? {
        guard SecTrustEvaluateWithError(trust, nil) else { return .untrustedServer }
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
        return chain.contains { hasKey($0, in: pins) } ? nil : .pinMismatch
    }

    private static func hasKey(_ certificate: SecCertificate, in pins: Set<ServerPin>) -> Bool {
        let certificate = SecCertificateCopyData(certificate) as Data
        guard let key = try? SubjectPublicKeyInfo.bytes(ofCertificate: certificate),
            let pin = try? ServerPin(digest: Data(SHA256.hash(data: key)))
        else { return false }
        return pins.contains(pin)
    }
}
#endif

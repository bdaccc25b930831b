import Crypto
public import PushCore
import PushOneSpan

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension OpenReferenceEngine {
    /// What a tenant's devices are configured with.
    public struct Configuration: Sendable {
        /// The domain of users that name none; 1 to 255 bytes. It is sent in lower case.
        public let domain: String

        /// The tenant's static keys. New devices use the first; a device stays with the one that
        /// it was activated with while that one is listed.
        let serverKeys: [[UInt8]]

        /// How often a password is hashed before it masks a key. This is cost, not a boundary:
        /// a short PIN is protected by there being nothing to test it with.
        public let pbkdf2Iterations: Int

        /// Whether new devices get a key for biometry.
        public let hasBiometry: Bool

        /// How short a new password may be, in characters.
        public var minimumPasswordLength = 4

        /// How long the server may take to answer the first command of an activation.
        public var helloTimeout: Duration = .seconds(120)

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - domain: The domain of users that name none.
        ///   - serverKeys: The tenant's pinned P-256 public keys, uncompressed, 65 bytes each; the
        ///     preferred first.
        ///   - pbkdf2Iterations: 1 to 10,000,000.
        ///   - hasBiometry: Whether new devices get a key for biometry.
        /// - Throws: `PushError` with the code `invalidArgument`.
        public init(
            domain: String, serverKeys: [Data], pbkdf2Iterations: Int = 100_000,
            hasBiometry: Bool = false
        ) throws(PushError) {
            guard (1...255).contains(domain.utf8.count), !domain.utf8.contains(0) else {
                throw PushError(.invalidArgument, "The domain hasn't 1 to 255 bytes.")
            }
            let areKeys = serverKeys.allSatisfy {
                $0.count == 65
                    && (try? P256.KeyAgreement.PublicKey(x963Representation: $0)) != nil
            }
            guard !serverKeys.isEmpty, areKeys else {
                throw PushError(.invalidArgument, "A server key isn't an uncompressed P-256 key.")
            }
            guard (1...PasswordMask.iterationLimit).contains(pbkdf2Iterations) else {
                throw PushError(.invalidArgument, "pbkdf2Iterations is out of range.")
            }
            self.domain = domain
            self.serverKeys = serverKeys.map(Array.init)
            self.pbkdf2Iterations = pbkdf2Iterations
            self.hasBiometry = hasBiometry
        }

        /// The key to seal to: the one given if it is still listed, else the preferred one.
        func serverKey(
            _ known: [UInt8]? = nil
        ) throws(OrchestrationError) -> P256.KeyAgreement.PublicKey {
            let bytes = known.flatMap { serverKeys.contains($0) ? $0 : nil } ?? serverKeys[0]
            guard let key = try? P256.KeyAgreement.PublicKey(x963Representation: bytes) else {
                throw OrchestrationError(.invalidArgument, "A server key isn't a P-256 key.")
            }
            return key
        }
    }
}

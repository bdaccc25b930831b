import Crypto
import PushCore
import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CompactToken {
    /// How a token is signed. Only the first is AM's; the others are for bad pushes.
    enum Algorithm: String {
        case hs256 = "HS256"
        case hs384 = "HS384"
        case none
    }

    /// Whether the key made it, by HS256, compared in constant time.
    ///
    /// AM takes the algorithm from the header, so HS384 and HS512 may pass there. UNCONFIRMED.
    func isSigned(with key: Secret) -> Bool {
        guard algorithm == Algorithm.hs256.rawValue, let signature else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            signature, authenticating: signed, using: key.symmetricKey)
    }

    /// Makes a token.
    static func text(
        of claims: JSON.Object, by key: Secret, algorithm: Algorithm = .hs256
    ) -> String {
        text(of: claims, algorithm: algorithm.rawValue) { bytes in
            switch algorithm {
            case .hs256:
                Data(HMAC<SHA256>.authenticationCode(for: bytes, using: key.symmetricKey))
            case .hs384:
                Data(HMAC<SHA384>.authenticationCode(for: bytes, using: key.symmetricKey))
            case .none: nil
            }
        }
    }

    /// The answer that a key gives to a challenge, as AM expects it, to the character.
    static func response(to challenge: Secret, by key: Secret) -> String {
        challenge.withBytes { challenge in
            Base64.standard(
                HMAC<SHA256>.authenticationCode(for: challenge, using: key.symmetricKey))
        }
    }
}

extension Secret {
    var symmetricKey: SymmetricKey { withBytes { SymmetricKey(data: $0) } }
}

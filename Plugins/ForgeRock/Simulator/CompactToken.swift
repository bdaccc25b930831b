import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A compact JWT, kept as it came: the MAC covers the received text, never a re-encoding.
struct CompactToken {
    /// How a token is signed. Only the first is AM's; the others are for bad pushes.
    enum Algorithm: String {
        case hs256 = "HS256"
        case hs384 = "HS384"
        case none
    }

    let header: JSON.Object
    let claims: JSON.Object
    private let signed: String
    private let signature: Data?

    /// Reads a token without judging it; `nil` if it isn't one.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1])
        else { return nil }
        self.header = header
        self.claims = claims
        signed = "\(parts[0]).\(parts[1])"
        signature = Base64.decodingURL(parts[2])
    }

    /// Whether the key made it, by HS256, compared in constant time.
    ///
    /// AM takes the algorithm from the header, so HS384 and HS512 may pass there. UNCONFIRMED.
    func isSigned(with key: Secret) -> Bool {
        guard header["alg"]?.string == Algorithm.hs256.rawValue, let signature else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            signature, authenticating: Data(signed.utf8), using: key.symmetricKey)
    }

    /// Makes a token.
    static func text(
        of claims: JSON.Object, by key: Secret, algorithm: Algorithm = .hs256
    ) -> String {
        let header: JSON = ["typ": "JWT", "alg": .string(algorithm.rawValue)]
        let signed = "\(Base64.url(header.utf8)).\(Base64.url(JSON.object(claims).utf8))"
        let bytes = Data(signed.utf8)
        let code: [UInt8] =
            switch algorithm {
            case .hs256:
                Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key.symmetricKey))
            case .hs384:
                Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key.symmetricKey))
            case .none: []
            }
        return "\(signed).\(Base64.url(code))"
    }

    /// The answer that a key gives to a challenge, as AM expects it, to the character.
    static func response(to challenge: Secret, by key: Secret) -> String {
        challenge.withBytes { challenge in
            Base64.standard(
                HMAC<SHA256>.authenticationCode(for: challenge, using: key.symmetricKey))
        }
    }

    private static func object(_ part: Substring) -> JSON.Object? {
        guard let data = Base64.decodingURL(part) else { return nil }
        return try? JSON(parsing: data).object
    }
}

extension Secret {
    var symmetricKey: SymmetricKey { withBytes { SymmetricKey(data: $0) } }
}

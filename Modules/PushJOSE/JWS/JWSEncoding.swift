/// How the payload and the signature of a compact JWS may be encoded.
package enum JWSEncoding: Hashable, Sendable {
    /// As RFC 7515 section 2 demands: base64url, unpadded, canonical.
    case strict
    /// Lenient, for a vendor whose own clients are: see ``Base64/Reading/anyAlphabet``.
    ///
    /// The header stays strict. The signature covers the text as it was received, so leniency
    /// lets nobody change the payload, only write the signature in several ways.
    case anyAlphabet

    var reading: Base64.Reading {
        switch self {
        case .strict: .url
        case .anyAlphabet: .anyAlphabet
        }
    }
}

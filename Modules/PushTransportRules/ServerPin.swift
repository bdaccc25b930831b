public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The SHA-256 of a public key that a server's chain may have, as in RFC 7469, section 2.4.
///
/// It hashes the DER encoding of a certificate's `SubjectPublicKeyInfo`, so a certificate that is
/// renewed with the same key keeps its pin. A pin isn't secret.
public struct ServerPin: Hashable, Sendable {
    /// How many bytes a pin has.
    package static let size = 32

    /// The 32 bytes of the SHA-256.
    public let digest: Data

    /// Takes a SHA-256.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if it hasn't 32 bytes.
    public init(digest: Data) throws(PushError) {
        guard digest.count == Self.size else {
            throw Self.refusal("A pin has \(Self.size) bytes, not \(digest.count).")
        }
        self.digest = Data(digest)
    }

    /// Reads a pin such as `sha256/AAAA…AAA=`.
    ///
    /// - Parameter text: The 32 bytes in base64 with the standard alphabet and padding (RFC 4648,
    ///   section 4), 44 characters, after `sha256/` or alone. Hexadecimal digits are refused: 64 of
    ///   them are valid base64 for another pin.
    /// - Throws: `PushError` with the code `invalidArgument` that says what is wrong.
    public init(_ text: String) throws(PushError) {
        let prefix = "sha256/"
        let base64 = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        let length = base64.utf8.count
        if length == 2 * Self.size,
            base64.utf8.allSatisfy({ Hexadecimal.value(of: $0) != nil })
        {
            throw Self.refusal("A pin is written in base64, not in hexadecimal digits.")
        }
        guard length == 44 else {
            throw Self.refusal("A pin has 44 characters of base64, not \(length).")
        }
        // Encoding it again finds what a lenient reader lets pass, such as loose last bits.
        guard let digest = Data(base64Encoded: String(base64)),
            digest.base64EncodedString().utf8.elementsEqual(base64.utf8)
        else {
            throw Self.refusal("A pin is base64 of the standard alphabet, padded by one '='.")
        }
        try self.init(digest: digest)
    }

    private static func refusal(_ reason: String) -> PushError {
        PushError(.invalidArgument, reason)
    }
}

extension ServerPin: CustomStringConvertible {
    /// The pin as ``init(_:)`` reads it, with `sha256/`.
    public var description: String { "sha256/\(digest.base64EncodedString())" }
}

package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A compact JWS (RFC 7515, section 7.1) as a simulated server reads and writes it, apart from any
/// key.
///
/// No provider uses it: what reads a token on the device is written independently of this.
package struct CompactToken {
    package let header: JSON.Object
    package let claims: JSON.Object

    /// What the signature covers: the received text, never a re-encoding.
    package let signed: Data

    /// `nil` if it isn't base64url.
    package let signature: Data?

    package var algorithm: String? { header["alg"]?.string }

    /// Reads a token without judging it; `nil` if it isn't one.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.object(parts[0]), let claims = Self.object(parts[1])
        else { return nil }
        self.header = header
        self.claims = claims
        signed = Data("\(parts[0]).\(parts[1])".utf8)
        signature = Base64URL.decode(parts[2])
    }

    private static func object(_ part: Substring) -> JSON.Object? {
        guard let data = Base64URL.decode(part) else { return nil }
        return try? JSON(parsing: data).object
    }

    /// Writes a token; a signature of `nil` stays empty.
    package static func text(
        of claims: JSON.Object, algorithm: String, signature: (Data) -> Data?
    ) -> String {
        let header: JSON = ["typ": "JWT", "alg": .string(algorithm)]
        let signed =
            Base64URL.encode(header.utf8) + "." + Base64URL.encode(JSON.object(claims).utf8)
        return signed + "." + Base64URL.encode(signature(Data(signed.utf8)) ?? Data())
    }
}

/// The URL's alphabet, unpadded (RFC 4648, section 5).
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(
            decoding: Data(bytes).base64EncodedData().compactMap { byte -> UInt8? in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                case UInt8(ascii: "="): nil
                default: byte
                }
            }, as: UTF8.self)
    }

    /// The bytes of a text; `nil` unless it is the one that ``encode(_:)`` writes for them.
    package static func decode(_ text: some StringProtocol) -> Data? {
        var standard = String(
            text.map { character in
                switch character {
                case "-": "+"
                case "_": "/"
                default: character
                }
            })
        while standard.utf8.count % 4 != 0 { standard += "=" }
        guard let data = Data(base64Encoded: standard), encode(data) == text else { return nil }
        return data
    }
}

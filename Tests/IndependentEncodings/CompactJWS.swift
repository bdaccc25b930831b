package import Foundation
package import PushCore

/// A compact JWS (RFC 7515, section 7.1), taken apart and put together without what is tested.
package struct CompactJWS {
    package let header: JSON
    package let claims: JSON

    /// What the signature covers.
    package let signed: Data
    package let signature: Data

    /// Takes a token apart; whether its signature is right, nobody asks here.
    package init(_ text: some StringProtocol) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw EncodingError() }
        header = try JSON(parsing: data(base64url: parts[0]))
        claims = try JSON(parsing: data(base64url: parts[1]))
        signed = Data("\(parts[0]).\(parts[1])".utf8)
        signature = try data(base64url: parts[2])
    }

    /// Puts a token together.
    package static func text<Signature: Sequence<UInt8>>(
        _ header: JSON, _ claims: JSON, signedBy sign: (Data) throws -> Signature
    ) rethrows -> String {
        let signed = base64url(header.data) + "." + base64url(claims.data)
        return signed + "." + base64url(try sign(Data(signed.utf8)))
    }
}

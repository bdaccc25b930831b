import IndependentEncodings
import PushCore

/// Sixteen bytes as a UUID is written, in lower case.
func uuidText(_ bytes: [UInt8]) -> String {
    let digits = Array(hex(bytes.prefix(16)))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        .joined(separator: "-")
}

/// A text in percent-encoding, with every character escaped that could mean something.
func escaped(_ text: String) -> String {
    text.utf8.map { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
            String(UnicodeScalar(byte))
        default: "%" + hex([byte]).uppercased()
        }
    }.joined()
}

/// RFC 7638 over the members that a key type requires, in lexicographic order.
func thumbprint(_ jwk: JSON.Object) -> String {
    let names = jwk["kty"] == "RSA" ? ["e", "kty", "n"] : ["crv", "kty", "x", "y"]
    let members = names.map { "\"\($0)\":\"\(jwk[$0]?.string ?? "")\"" }
    return base64url(sha256("{\(members.joined(separator: ","))}"))
}

extension Secret {
    /// The bytes as text, for comparisons in tests.
    var text: String { String(decoding: copied, as: UTF8.self) }
}

import Crypto
import Foundation
import PushCore
import Testing

/// The worked example of the format's description; each file names its source.
struct Vectors {
    let root: JSON

    init(_ name: String) throws {
        let file = try #require(Bundle.module.resourceURL).appending(path: "Vectors/\(name).json")
        root = try JSON(parsing: try Data(contentsOf: file))
    }

    /// A text, by the names of the members that lead to it.
    func text(_ path: String...) throws -> String {
        try #require(path.reduce(Optional(root)) { $0?[$1] }?.string)
    }

    func object(_ path: String...) throws -> JSON.Object {
        try #require(path.reduce(Optional(root)) { $0?[$1] }?.object)
    }

    static func key(_ name: String) throws -> P256.Signing.PrivateKey {
        try P256.Signing.PrivateKey(
            rawRepresentation: try decodeURL(try Vectors("keys").text("keys", name, "d")))
    }
}

/// A compact token, taken apart without trust.
struct Token {
    let header: JSON
    let claims: JSON
    let signed: String
    let signature: Data

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        header = try JSON(parsing: try decodeURL(parts[0]))
        claims = try JSON(parsing: try decodeURL(parts[1]))
        signed = parts[0] + "." + parts[1]
        signature = try decodeURL(parts[2])
    }

    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(signature, for: Data(signed.utf8))
    }

    static func text(
        _ claims: JSON, type: String, by key: P256.Signing.PrivateKey, header: JSON? = nil
    ) throws -> String {
        let header: JSON =
            header ?? [
                "alg": "ES256", "typ": .string(type), "kid": .string(thumbprint(key.publicKey)),
            ]
        let signed = encodeURL(header.data) + "." + encodeURL(claims.data)
        let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
        return signed + "." + encodeURL(signature)
    }
}

func thumbprint(_ key: P256.Signing.PublicKey) -> String {
    let point = key.rawRepresentation
    let text =
        #"{"crv":"P-256","kty":"EC","x":"\#(encodeURL(point.prefix(32)))","#
        + #""y":"\#(encodeURL(point.suffix(32)))"}"#
    return hashText(Data(text.utf8))
}

func jwk(_ key: P256.Signing.PublicKey) -> JSON {
    let point = key.rawRepresentation
    return [
        "kty": "EC", "crv": "P-256", "x": .string(encodeURL(point.prefix(32))),
        "y": .string(encodeURL(point.suffix(32))), "use": "sig", "alg": "ES256",
        "kid": .string(thumbprint(key)),
    ]
}

func hashText(_ data: Data) -> String { encodeURL(Data(SHA256.hash(data: data))) }

func encodeURL(_ data: Data) -> String {
    data.base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
}

func decodeURL(_ text: String) throws -> Data {
    let standard = text.replacingOccurrences(of: "-", with: "+")
        .replacingOccurrences(of: "_", with: "/")
    let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
    return try #require(Data(base64Encoded: standard + padding))
}

func decodeHex(_ text: String) -> Data {
    let digits = text.compactMap(\.hexDigitValue)
    return Data(
        stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    )
}

/// PBKDF2 with HMAC-SHA256, one block (RFC 8018 section 5.2).
func stretch(_ pin: String, salt: Data, iterations: Int) -> Data {
    let key = SymmetricKey(data: Data(pin.utf8))
    var block = HMAC<SHA256>.authenticationCode(for: salt + Data([0, 0, 0, 1]), using: key)
    var result = Array(block)
    for _ in 1..<max(iterations, 1) {
        block = block.withUnsafeBytes { HMAC<SHA256>.authenticationCode(for: $0, using: key) }
        block.withUnsafeBytes { bytes in
            for index in 0..<32 { result[index] ^= bytes[index] }
        }
    }
    return Data(result)
}

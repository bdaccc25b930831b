import Crypto
import Foundation
import IndependentEncodings
import PushCore
import PushTesting

extension Vectors {
    /// The worked example of the format's description, by file.
    init(_ name: String) throws { try self.init(name, in: Bundle.module.resourceURL) }

    static func key(_ name: String) throws -> P256.Signing.PrivateKey {
        try P256.Signing.PrivateKey(
            rawRepresentation: try data(base64url: try Vectors("keys").text("keys", name, "d")))
    }
}

typealias Token = CompactJWS

extension CompactJWS {
    func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(signature, for: signed)
    }

    static func text(
        _ claims: JSON, type: String, by key: P256.Signing.PrivateKey, header: JSON? = nil
    ) throws -> String {
        let header: JSON =
            header ?? [
                "alg": "ES256", "typ": .string(type), "kid": .string(thumbprint(key.publicKey)),
            ]
        return try Self.text(header, claims) { try key.signature(for: $0).rawRepresentation }
    }
}

func thumbprint(_ key: P256.Signing.PublicKey) -> String {
    let point = key.rawRepresentation
    let text =
        #"{"crv":"P-256","kty":"EC","x":"\#(base64url(point.prefix(32)))","#
        + #""y":"\#(base64url(point.suffix(32)))"}"#
    return base64url(sha256(Data(text.utf8)))
}

func jwk(_ key: P256.Signing.PublicKey) -> JSON {
    let point = key.rawRepresentation
    return [
        "kty": "EC", "crv": "P-256", "x": .string(base64url(point.prefix(32))),
        "y": .string(base64url(point.suffix(32))), "use": "sig", "alg": "ES256",
        "kid": .string(thumbprint(key)),
    ]
}

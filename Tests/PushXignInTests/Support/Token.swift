import Crypto
import Foundation
import IndependentEncodings
import PushCore

typealias SigningKey = P256.Signing.PrivateKey
typealias VerifyingKey = P256.Signing.PublicKey

/// A compact JWS, read and written without the plugin's help.
struct Token {
    var header: JSON.Object
    var claims: JSON.Object

    init(header: JSON.Object, claims: JSON.Object) {
        (self.header, self.claims) = (header, claims)
    }

    /// Reads a token, strictly; `nil` if it's none or its signature is wrong.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - key: The key that must have signed it, given its header and claims.
    init?(_ text: some StringProtocol, key: (Token) -> VerifyingKey?) {
        guard let token = try? CompactJWS(text), let header = token.header.object,
            let claims = token.claims.object,
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        else { return nil }
        self.init(header: header, claims: claims)
        guard header["alg"] == "ES256", let key = key(self),
            key.isValidSignature(signature, for: token.signed)
        else { return nil }
    }

    init?(_ text: some StringProtocol, key: VerifyingKey) { self.init(text) { _ in key } }

    /// What a token says, without a look at its signature.
    static func unverified(_ text: some StringProtocol) -> Token? {
        guard let token = try? CompactJWS(text), let header = token.header.object,
            let claims = token.claims.object
        else { return nil }
        return Token(header: header, claims: claims)
    }

    func signed(by key: SigningKey) throws -> String {
        try Self.signed(JSON.object(header).text, JSON.object(claims).text, by: key)
    }

    /// Signs whatever bytes a test likes.
    static func signed(_ header: String, _ claims: String, by key: SigningKey) throws -> String {
        let text = "\(base64url(header)).\(base64url(claims))"
        let signature = try key.signature(for: Data(text.utf8))
        return "\(text).\(base64url(signature.rawRepresentation))"
    }
}

extension VerifyingKey {
    var jwk: JSON.Object {
        let point = Array(x963Representation)
        return [
            "kty": "EC", "crv": "P-256", "x": .string(base64url(point[1...32])),
            "y": .string(base64url(point[33...])), "use": "sig", "alg": "ES256",
            "kid": .string(thumbprint),
        ]
    }

    /// RFC 7638.
    var thumbprint: String {
        let point = Array(x963Representation)
        let (x, y) = (base64url(point[1...32]), base64url(point[33...]))
        return base64url(sha256(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#.utf8))
    }

    /// A public key from its JWK; private or other members don't matter here.
    init?(jwk: JSON?) {
        guard jwk?["kty"] == "EC", jwk?["crv"] == "P-256", jwk?["d"] == nil,
            let x = jwk?["x"]?.string.flatMap({ decoded(base64url: $0) }), x.count == 32,
            let y = jwk?["y"]?.string.flatMap({ decoded(base64url: $0) }), y.count == 32,
            let key = try? VerifyingKey(x963Representation: Data([4] + x + y))
        else { return nil }
        self = key
    }
}

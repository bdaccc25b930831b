import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

/// A server's reply that brings a temporary key: `docs/vendors/powerauth.md#encryption`.
struct SignedReply {
    static let id = "D3D82A6B-47CF-4225-BBE5-BAD96FB84CA4"
    static let issued: Int64 = 1_723_109_505_420

    var header = #"{"alg":"ES256","typ":"JWT"}"#
    var claims: JSON.Object
    var signer: P256.Signing.PrivateKey

    /// The genuine reply.
    init(to request: TemporaryKeyRequest) throws {
        signer = try P256.Signing.PrivateKey(
            rawRepresentation: Wire.privateKey(20).rawRepresentation)
        claims = [
            "sub": .string(Self.id), "applicationKey": .string(request.scope.application.key),
            "challenge": .string(request.challenge),
            "publicKey": .string(
                Wire.base64(try Wire.privateKey(21).publicKey.x963Representation)),
            "iat": .integer(Self.issued / 1000), "iat_ms": .integer(Self.issued),
            "exp": .integer(Self.issued / 1000 + 300),
            "exp_ms": .integer(Self.issued + 300_000),
        ]
        if let id = request.scope.activationID { claims["activationId"] = .string(id) }
    }

    /// The key that the server signs with.
    static func serverKey() throws -> CurvePoint { try Wire.point(Wire.privateKey(20)) }

    /// What the signature covers.
    var input: String {
        Wire.base64url(header.utf8) + "." + Wire.base64url(JSON.object(claims).utf8)
    }

    func jwt() throws -> String {
        try jwt(signature: signer.signature(for: Data(input.utf8)).rawRepresentation)
    }

    func jwt(signature: some Sequence<UInt8>) -> String {
        input + "." + Wire.base64url(signature)
    }
}

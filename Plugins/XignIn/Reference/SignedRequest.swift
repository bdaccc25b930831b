import Crypto
import HTTPTypes
import PushCore
import PushJOSE
import PushXignIn

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request of OXRW/1, before it is signed. Each sending signs it again.
struct SignedRequest {
    let method: HTTPRequest.Method

    /// The path, from `/oxrw/v1/` on.
    let path: String

    /// The body; empty for none.
    let body: Data

    /// What else is claimed, if the request must prove more than the device key.
    var proof: ActivationRequest?

    init(_ method: HTTPRequest.Method, _ path: String, body: Data = Data()) {
        self.method = method
        self.path = "/oxrw/v1/" + path
        self.body = body
    }

    init(_ method: HTTPRequest.Method, _ path: String, _ body: JSON) {
        self.init(method, path, body: body.data)
    }

    /// Who signs, for whom.
    struct Signer {
        let key: ES256PrivateKey

        /// The activation, or the key's thumbprint before there is one.
        let issuer: String

        /// The manager.
        let audience: String

        /// The versions that this app speaks.
        let api: ClosedRange<SmartDeviceAPI>
    }

    /// The token that authorizes this request once.
    ///
    /// - Parameters:
    ///   - signer: Who signs.
    ///   - id: A name that was never used before.
    ///   - time: The server's time.
    /// - Returns: A compact JWS for one request.
    /// - Throws: `PushError` with the code `malformed` if the device key can't sign.
    func authorization(
        _ signer: Signer, id: String, time: Date
    ) throws(PushError) -> String {
        let issued = Int64(time.timeIntervalSince1970.rounded(.down))
        let hash = Base64.encode(Data(SHA256.hash(data: body)), as: .url)
        var claims: JSON.Object = [
            "iss": .string(signer.issuer), "aud": .string(signer.audience), "jti": .string(id),
            "iat": .number(.init(issued)), "exp": .number(.init(issued + 60)),
            "htm": .string(method.rawValue), "htu": .string(path), "bh": .string(hash),
            "api": [
                "min": .string(signer.api.lowerBound.description),
                "max": .string(signer.api.upperBound.description),
            ],
        ]
        let proof = proof?.proof(
            idm: signer.audience, issuer: signer.issuer, requestID: id, bodyHash: hash)
        for (name, value) in proof?.members ?? [] { claims[name] = value }
        return try signer.key.compactJWS(
            of: JSON.object(claims).data,
            header: [
                "alg": "ES256", "typ": "oxrw-req+jwt",
                "kid": .string(try signer.key.publicKey.thumbprint),
            ])
    }
}

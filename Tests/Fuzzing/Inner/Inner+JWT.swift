import Crypto
import HTTPTypes
import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Inner {
    private static let secret = Secret(
        Array(SHA256.hash(data: Data("pushkit-forgerock-secret-0".utf8))))

    /// Reads and verifies a JWS, a JWT, a JWK set and a DPoP proof; and signs the bytes, and reads what
    /// came of it.
    public static func jwt(_ bytes: UnsafeRawBufferPointer) -> StaticString? {
        let input = Data(bytes)
        let key = HS256Key(secret)
        for encoding in [JWSEncoding.strict, .anyAlphabet] {
            guard let jws = try? UnverifiedJWS(parsing: input, encoding: encoding) else { continue }
            guard (try? jws.verified(by: key)) != nil else { continue }
            guard isSigned(input, encoding) else { return "only what the key signed is verified" }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let jwt = try? UnverifiedJWT(parsing: text) {
            guard (try? UnverifiedJWT(parsing: text, encoding: .anyAlphabet)) != nil else {
                return "the lenient reader reads what the strict one reads"
            }
            let isVerified = (try? jwt.verified(by: key)) != nil
            let isOfKey = jwt.unverifiedHeader.algorithm == "HS256" && isSigned(input, .strict)
            guard isVerified == isOfKey else {
                return "what the key signed with its own algorithm, and nothing else, is verified"
            }
        }
        _ = try? JWKSet(parsing: input)
        return proof(text) ?? signed(input, by: key)
    }

    /// The proofs of RFC 9449 section 4.1 are of about that time.
    private static func proof(_ text: String) -> StaticString? {
        guard let endpoint = try? Endpoint("https://server.example.com/token"),
            let proof = try? VerifiedDPoPProof(
                text, of: .post, endpoint, at: Date(timeIntervalSince1970: 1_562_262_616),
                ages: .seconds(-3600)...(.seconds(3600)))
        else { return nil }
        guard (try? UnverifiedJWT(parsing: text)) == nil else {
            return "a proof is no other token"
        }
        guard (try? proof.key.thumbprint()) == proof.thumbprint,
            JWK.privateMembers.allSatisfy({ proof.key.members[$0] == nil })
        else { return "a proof names its key, a public one" }
        return nil
    }

    private static func signed(_ payload: Data, by key: HS256Key) -> StaticString? {
        guard let text = try? key.compactJWS(of: payload) else {
            return payload.isEmpty ? nil : "every payload but an empty one is signed"
        }
        guard text.utf8.count <= 64 * 1024 else { return nil }
        let verified = try? UnverifiedJWS(parsing: text).verified(by: key)
        guard verified?.payload == payload else { return "what the key signed is verified" }
        return nil
    }

    /// Told by swift-crypto alone: a JWS whose last part is the code of what stands before it.
    private static func isSigned(_ text: Data, _ encoding: JWSEncoding) -> Bool {
        guard let dot = text.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let reading: Base64.Reading = encoding == .strict ? .url : .anyAlphabet
        let code = Data(text[(dot + 1)...]).withUnsafeBytes {
            try? Base64.data(from: $0, as: reading)
        }
        guard let code else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(
            code, authenticating: text[..<dot], using: secret.withBytes { SymmetricKey(data: $0) })
    }
}

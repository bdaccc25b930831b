import Crypto
import Foundation
import PushCore
import PushJOSE
import Testing

struct JWSVectorTests {
    static let payload = #"""
        {"iss":"joe",
         "exp":1300819380,
         "http://example.com/is_root":true}
        """#.replacing("\n", with: "\r\n")

    @Test func `RFC 7515 appendix A.1 verifies`() throws {
        let key = try HS256Key(try jwk(RFC7515A1.jwk), for: [.sign, .verify])
        let jws = try UnverifiedJWS(parsing: RFC7515A1.jws).verified(by: key)
        #expect(jws.payload == Data(Self.payload.utf8))
        #expect(jws.header.algorithm == "HS256")
        #expect(jws.header.type == "JWT")
        #expect(jws.header.keyID == nil)
        #expect(key.byteCount == 64)
    }

    @Test func `RFC 7515 appendix A.1 is made again, byte for byte`() throws {
        let key = try HS256Key(try jwk(RFC7515A1.jwk), for: .sign)
        let input = Data("\(RFC7515A1.header).\(RFC7515A1.payload)".utf8)
        #expect(Base64.encode(key.signature(over: input), as: .url) == RFC7515A1.signature)
    }

    @Test func `RFC 7515 appendix A.3 verifies`() throws {
        let key = try ES256PrivateKey(privateJWK: try jwk(RFC7515A3.jwk)).publicKey
        let jws = try UnverifiedJWS(parsing: RFC7515A3.jws).verified(by: key)
        #expect(jws.payload == Data(Self.payload.utf8))
        #expect(jws.header.algorithm == "ES256")
    }

    @Test func `the key of RFC 7515 appendix A.3 signs, and its public half verifies`() throws {
        let key = try ES256PrivateKey(privateJWK: try jwk(RFC7515A3.jwk))
        let jws = try key.compactJWS(of: Data("{}".utf8), header: ["kid": "a3"])
        #expect(jws.hasPrefix(Base64.encode(Array(#"{"alg":"ES256","kid":"a3"}"#.utf8), as: .url)))
        let verified = try UnverifiedJWS(parsing: jws).verified(by: key.publicKey)
        #expect(verified.payload == Data("{}".utf8))
        #expect(verified.header.keyID == "a3")
    }
}

import Foundation
import PushCore
import PushJOSE
import Testing

struct JWTTests {
    @Test func `a claim leads to the key, and the same claims are the message`() throws {
        let keys = ["device-7": acmeKey]
        let claims: JSON.Object = ["mechanism": "device-7", "n": 9_007_199_254_740_993]
        let text = try acmeKey.compactJWS(of: JSON.object(claims).data)
        let jwt = try UnverifiedJWT(parsing: text)
        let key = try #require(jwt.unverifiedClaims["mechanism"]?.string.flatMap { keys[$0] })
        let verified = try jwt.verified(by: key)
        #expect(verified.claims == claims)
        #expect(verified.header.algorithm == "HS256")
        #expect(jwt.unverifiedHeader == verified.header)
    }

    @Test(arguments: [
        "[]", "1", "null", #""x""#, "x", #"{"a":1,"a":1}"#, #"{"a":1,}"#, "{}{}", "{",
    ]) func `a payload that isn't a strict JSON object is no JWT`(payload: String) throws {
        let text = try acmeKey.compactJWS(of: Data(payload.utf8))
        _ = try UnverifiedJWS(parsing: text).verified(by: acmeKey)
        #expect(refusal { try UnverifiedJWT(parsing: text) } == .malformed)
    }

    @Test func `a wrong key and a changed claim are refused`() throws {
        let text = try acmeKey.compactJWS(of: Data(#"{"a":1}"#.utf8))
        let jwt = try UnverifiedJWT(parsing: text)
        #expect(refusal { try jwt.verified(by: HS256Key(Secret([1]))) } == .untrusted)
        let other = Base64.encode(Array(#"{"a":2}"#.utf8), as: .url)
        let parts = text.split(separator: ".")
        let forged = try UnverifiedJWT(parsing: "\(parts[0]).\(other).\(parts[2])")
        #expect(refusal { try forged.verified(by: acmeKey) } == .untrusted)
    }

    @Test func `a vendor's leniency is chosen by name`() throws {
        let input =
            Base64.encode(Array(#"{"alg":"HS256"}"#.utf8), as: .url) + "."
            + Base64.encode(Array(#"{"a":"~~~"}"#.utf8))
        let text = input + "." + Base64.encode(acmeKey.signature(over: Data(input.utf8)))
        #expect(text.hasSuffix("="))
        #expect(refusal { try UnverifiedJWT(parsing: text) } == .malformed)
        let jwt = try UnverifiedJWT(parsing: text, encoding: .anyAlphabet)
        #expect(try jwt.verified(by: acmeKey).claims == ["a": "~~~"])
    }
}

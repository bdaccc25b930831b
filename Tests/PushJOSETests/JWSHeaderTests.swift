import Foundation
import PushCore
import PushJOSE
import Testing

struct JWSHeaderTests {
    private func refusalOfHeader(_ header: String) throws -> PushError.Code? {
        let text = try signedJWS(header: header, payload: "{}", by: acmeKey)
        return refusal {
            try UnverifiedJWS(parsing: text).verified(by: acmeKey)
        }
    }

    @Test(arguments: [
        #"{"alg":"HS256"}"#, #"{"typ":"JWT","alg":"HS256"}"#, " {\"alg\" :\r\n\"HS256\" } ",
        #"{"alg":"HS256","kid":"1","cty":"x","acme":[{}]}"#,
    ]) func `a plain header is accepted`(header: String) throws {
        #expect(try refusalOfHeader(header) == nil)
    }

    @Test(arguments: [
        "none", "None", "NONE", "nOnE", "hs256", "Hs256", "HS256 ", " HS256", "HS384", "HS512",
        "ES256",
        "RS256", "HS256\\u0000", "ΗS256",
    ]) func `another algorithm than the key's is refused`(algorithm: String) throws {
        #expect(try refusalOfHeader(#"{"alg":"\#(algorithm)"}"#) == .untrusted)
    }

    @Test(
        arguments: ["crit", "b64", "jku", "jwk", "x5u", "x5c"],
        [
            "true", "false", "null", "[]", "{}", #""https://acme.example""#, #"["exp"]"#,
        ]) func `a header member that could change key or reading is refused`(
            name: String, value: String
        ) throws
    {
        #expect(try refusalOfHeader(#"{"alg":"HS256","\#(name)":\#(value)}"#) == .untrusted)
        #expect(try refusalOfHeader(#"{"\#(name)":\#(value),"alg":"HS256"}"#) == .untrusted)
    }

    @Test func `an escaped name is the same name`() throws {
        #expect(try refusalOfHeader(#"{"alg":"HS256","j\u006bu":"x"}"#) == .untrusted)
        #expect(try refusalOfHeader(#"{"\u0061lg":"none"}"#) == .untrusted)
    }

    @Test(arguments: [
        "{}", "[]", "null", #""HS256""#, #"{"alg":null}"#, #"{"alg":256}"#, #"{"alg":["HS256"]}"#,
        #"{"alg":""}"#, #"{"ALG":"HS256"}"#, #"{"alg":"HS256","alg":"HS256"}"#,
        #"{"alg":"none","alg":"HS256"}"#, #"{"alg":"HS256",}"#, #"{"alg":"HS256"} x"#,
        #"{"alg":"HS256"}{}"#, #"{alg:"HS256"}"#, #"{"alg":"HS256"/**/}"#, #"{"alg":"HS256""#,
        "\u{FEFF}{\"alg\":\"HS256\"}", #"{"alg":"HS256","kid":1}"#, #"{"alg":"HS256","typ":null}"#,
    ]) func `a header that isn't a strict JSON object with alg is refused`(header: String) throws {
        #expect(try refusalOfHeader(header) == .malformed)
    }

    @Test func `a header nested too deeply is refused`() throws {
        let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
        #expect(try refusalOfHeader(#"{"alg":"HS256","acme":\#(deep)}"#) == .malformed)
    }

    @Test func `a character canonically equivalent to the key's isn't the key's`() throws {
        let kelvin = "ES256\u{212A}"
        #expect(kelvin == "ES256K")
        struct KelvinKey: JWSVerificationKey {
            let algorithm = "ES256K"
            func verify(
                _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
            ) throws(PushError) {}
        }
        let text = try signedJWS(header: #"{"alg":"\#(kelvin)"}"#, payload: "{}", by: acmeKey)
        let code = refusal {
            try UnverifiedJWS(parsing: text).verified(by: KelvinKey())
        }
        #expect(code == .untrusted)
    }

    @Test(arguments: ["crit", "b64", "jku", "jwk", "x5u", "x5c"])
    func `we never write what we refuse`(name: String) {
        let code = refusal {
            try acmeKey.compactJWS(of: Data("{}".utf8), header: JSON.Object([(name, .bool(true))]))
        }
        #expect(code == .invalidArgument)
    }

    @Test func `none is refused even by a key that calls itself none`() throws {
        struct NoKey: JWSVerificationKey, JWSSigningKey {
            let algorithm: String
            func verify(
                _ signature: UnsafeRawBufferPointer, over message: UnsafeRawBufferPointer
            ) throws(PushError) {}
            func signature(over message: Data) throws(PushError) -> Data { Data([0]) }
        }
        for algorithm in ["none", "None", "NONE"] {
            let key = NoKey(algorithm: algorithm)
            let text = try signedJWS(header: #"{"alg":"\#(algorithm)"}"#, payload: "{}", by: key)
            #expect(refusal { try UnverifiedJWS(parsing: text).verified(by: key) } == .untrusted)
            #expect(refusal { try key.compactJWS(of: Data("{}".utf8)) } == .invalidArgument)
        }
    }

    @Test func `we write the key's algorithm only, where the caller wants it`() throws {
        let text = try acmeKey.compactJWS(
            of: Data("{}".utf8), header: ["typ": "JWT", "alg": "HS256"])
        #expect(text.hasPrefix("eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9."))
        for algorithm in ["none", "ES256", "hs256", ""] {
            let code = refusal {
                try acmeKey.compactJWS(
                    of: Data("{}".utf8), header: ["alg": .string(algorithm)])
            }
            #expect(code == .invalidArgument)
        }
        let empty = refusal { try acmeKey.compactJWS(of: Data()) }
        #expect(empty == .invalidArgument)
    }
}

import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import Testing

struct VerifiedDPoPProofTests {
    private let key = ES256PrivateKey(P256.Signing.PrivateKey())
    private let url = "https://server.example/api"
    private let now = Date(timeIntervalSince1970: 1_760_000_000)
    private let token = Secret(copying: "token")

    /// A rightly signed proof whose header and claims are changed; `nil` removes a member.
    private func proof(
        _ claims: [String: JSON?] = [:], header: [String: JSON?] = [:],
        by other: ES256PrivateKey? = nil
    ) throws -> String {
        var allClaims: JSON.Object = [
            "htm": "POST", "htu": .string(url), "iat": 1_760_000_000, "jti": "one",
            "ath": "PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A",
        ]
        var allParameters: JSON.Object = [
            "typ": "dpop+jwt", "alg": "ES256", "jwk": .object(try key.publicKey.jwk().members),
        ]
        for (name, value) in claims { allClaims[name] = value }
        for (name, value) in header { allParameters[name] = value }
        return try signedJWS(
            header: JSON.object(allParameters).text, payload: JSON.object(allClaims).text,
            by: other ?? key)
    }

    private func read(
        _ text: String, of method: HTTPRequest.Method = .post, at now: Date? = nil
    ) throws(PushError) -> VerifiedDPoPProof {
        try VerifiedDPoPProof(
            text, of: method, Endpoint("\(url)?page=2"), at: now ?? self.now,
            ages: .seconds(-15)...(.seconds(25)), accessToken: token)
    }

    @Test func `the proof of RFC 9449 section 4_1 is read`() throws {
        let proof = try VerifiedDPoPProof(
            RFC9449.tokenProof, of: .post, Endpoint(RFC9449.tokenURL), at: RFC9449.issued,
            ages: .zero...(.zero))
        #expect(proof.thumbprint == RFC9449.thumbprint)
        #expect(proof.id == "-BwC3ESc6acc2lTc" && proof.issued == RFC9449.issued)
        #expect(proof.key.keyType == "EC" && proof.nonce == nil)
        #expect(proof.claims["htu"]?.string == RFC9449.tokenURL)
    }

    @Test func `the proof of RFC 9449 section 7_1 is read with its access token alone`() throws {
        let endpoint = try Endpoint(RFC9449.resourceURL)
        func read(_ token: Secret) throws(PushError) -> VerifiedDPoPProof {
            try VerifiedDPoPProof(
                RFC9449.resourceProof, of: .get, endpoint, at: RFC9449.issued,
                ages: .seconds(-2)...(.zero), accessToken: token)
        }
        let proof = try read(RFC9449.accessToken)
        #expect(proof.thumbprint == RFC9449.thumbprint && proof.id == "e1j3V_bKic8-LAEB")
        #expect(refusal { try read(token) } == .untrusted)
    }

    @Test func `a proof is for one method, one URL and one token`() throws {
        #expect(try read(proof()).id == "one")
        #expect(refusal { try read(proof(), of: .get) } == .untrusted)
        for (name, value) in [
            ("htm", "post"), ("htm", "POST "), ("htu", "\(url)/"), ("htu", "\(url)?page=2"),
            ("htu", "\(url)#top"), ("htu", "http://server.example/api"),
            ("htu", "https://server.example:443/api"), ("htu", "https://SERVER.example/api"),
            ("ath", "PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-a"), ("ath", ""),
        ] {
            #expect(refusal { try read(proof([name: .string(value)])) } == .untrusted)
        }
    }

    @Test(arguments: ["htm", "htu", "iat", "jti", "ath"])
    func `a proof without one of its claims is refused`(name: String) throws {
        #expect(refusal { try read(proof([name: .none])) } == .malformed)
        #expect(refusal { try read(proof([name: .some(.null)])) } == .malformed)
        #expect(refusal { try read(proof([name: .some([])])) } == .malformed)
    }

    @Test func `a name of 1 to 256 bytes is given back, and a nonce`() throws {
        for name in ["é", String(repeating: "n", count: 256)] {
            #expect(try read(proof(["jti": .string(name), "nonce": "x"])).id == name)
        }
        for name in ["", String(repeating: "n", count: 257)] {
            #expect(refusal { try read(proof(["jti": .string(name)])) } == .malformed)
        }
        #expect(try read(proof(["nonce": "x"])).nonce == "x")
        #expect(refusal { try read(proof(["nonce": 7])) } == .malformed)
    }

    @Test func `a proof counts from its earliest to its latest moment`() throws {
        for (seconds, code) in [
            (-16.0, PushError.Code.untrusted), (-15, nil), (0, nil), (25, nil), (25.5, .untrusted),
        ] {
            #expect(refusal { try read(proof(), at: now + seconds) } == code)
        }
        for iat: JSON in [0, -1, 9_007_199_254_740_991] {
            #expect(refusal { try read(proof(["iat": iat])) } == .untrusted)
        }
        #expect(try read(proof(["iat": .number(.init(1_760_000_000.5) ?? .init(0))])).id == "one")
    }

    @Test(arguments: [nil, "JWT", "DPOP+JWT", "application/dpop+jwt", "dpop+jwt "] as [String?])
    func `a JWS that isn't typed as a proof is none`(type: String?) throws {
        let changed = try proof(header: ["typ": type.map { .string($0) }])
        #expect(refusal { try read(changed) } == .untrusted)
    }

    @Test func `the key it carries is the one it is signed with`() throws {
        let stranger = ES256PrivateKey(P256.Signing.PrivateKey())
        #expect(refusal { try read(proof(by: stranger)) } == .untrusted)
        #expect(refusal { try read(proof(header: ["jwk": .none])) } == .malformed)
        #expect(refusal { try read(proof(header: ["jwk": "key"])) } == .malformed)
        let whole = JSON.object(try key.privateJWK().members)
        #expect(refusal { try read(proof(header: ["jwk": .some(whole)])) } == .untrusted)
        let other = JSON.object(try key.publicKey.jwk(adding: ["alg": "RS256"]).members)
        #expect(refusal { try read(proof(header: ["jwk": .some(other)])) } == .untrusted)
    }

    @Test(arguments: ["none", "HS256", "ES384", "RS256", "PS256", "EdDSA", "es256"])
    func `another algorithm is refused`(algorithm: String) throws {
        let changed = try proof(header: ["alg": .string(algorithm)])
        #expect(refusal { try read(changed) } == .untrusted)
    }

    @Test func `a shared key is refused, and a code made with it`() throws {
        let secret = HS256Key(token)
        let header = #"{"typ":"dpop+jwt","alg":"HS256","jwk":{"kty":"oct","k":"dG9rZW4"}}"#
        let forged = try signedJWS(header: header, payload: #"{"jti":"one"}"#, by: secret)
        #expect(refusal { try read(forged) } == .untrusted)
    }

    @Test(arguments: ["crit", "b64", "jku", "x5u", "x5c"])
    func `the other members that locate a key stay refused`(name: String) throws {
        #expect(refusal { try read(proof(header: [name: "x"])) } == .untrusted)
    }

    @Test func `a proof larger than 16 KiB is refused`() throws {
        let more = JSON.string(String(repeating: "x", count: 16 * 1024))
        #expect(refusal { try read(proof(["more": more])) } == .malformed)
    }
}

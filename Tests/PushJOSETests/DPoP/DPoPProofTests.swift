import Crypto
import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import Testing

struct DPoPProofTests {
    private let key = ES256PrivateKey(P256.Signing.PrivateKey())
    private let now = Date(timeIntervalSince1970: 1_760_000_000.75)
    private let token = Secret(copying: "token")

    private func parts(_ proof: String) throws -> (header: JSON.Object, claims: JSON.Object) {
        let parts = try proof.split(separator: ".").prefix(2).map {
            try #require(JSON(parsing: Base64.data(from: $0, as: .url)).object)
        }
        return (parts[0], parts[1])
    }

    @Test func `a proof has the members of RFC 9449 section 4_2, and no others`() throws {
        let endpoint = try Endpoint("https://Server.example:8443/a%20b/c?d=e&f=/?g")
        let proof = try DPoPProof(of: .get, endpoint, at: now, id: "one").signed(
            by: key, publicKey: key.publicKey.jwk())
        let (header, claims) = try parts(proof)
        #expect(header.members.map(\.name) == ["alg", "typ", "jwk"])
        #expect(header["alg"]?.string == "ES256" && header["typ"]?.string == "dpop+jwt")
        #expect(try header["jwk"]?.object == key.publicKey.jwk().members)
        #expect(
            claims == [
                "htm": "GET", "htu": "https://Server.example:8443/a%20b/c", "iat": 1_760_000_000,
                "jti": "one",
            ])
    }

    @Test func `a proof with a token has its hash, and one with a nonce has that`() throws {
        let endpoint = try Endpoint(RFC9449.resourceURL)
        var proof = DPoPProof(
            of: .get, endpoint, at: now, id: "one", accessToken: RFC9449.accessToken)
        proof.nonce = "eyJ7S_zG.eyJH0-Z.HX4w-7v"
        proof.additional = ["sub": "jane", "ath": "other", "jti": "two", "nonce": "three"]
        let (_, claims) = try parts(proof.signed(by: key, publicKey: key.publicKey.jwk()))
        #expect(claims["ath"]?.string == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        #expect(claims["nonce"]?.string == "eyJ7S_zG.eyJH0-Z.HX4w-7v")
        #expect(claims["sub"]?.string == "jane" && claims["jti"]?.string == "one")
    }

    @Test func `a URL without a path has that of the root`() throws {
        for url in ["https://a.example", "https://a.example/", "https://a.example?b"] {
            let proof = try DPoPProof(of: .post, Endpoint(url), at: now, id: "one").signed(
                by: key, publicKey: key.publicKey.jwk())
            #expect(try parts(proof).claims["htu"]?.string == "https://a.example/")
        }
    }

    @Test func `what is made is read, by each kind of key that signs`() async throws {
        let endpoint = try Endpoint("https://server.example/api?list")
        let rsa = try RS256PrivateKey(privateJWK: jwk(RSAExample.privateJWK))
        let proof = DPoPProof(of: .put, endpoint, at: now, id: "one", accessToken: token)
        for (text, jwk) in [
            (
                try proof.signed(
                    by: key, publicKey: key.publicKey.jwk(adding: ["kid": "k", "alg": "ES256"])),
                try key.publicKey.jwk()
            ),
            (try proof.signed(by: rsa, publicKey: rsa.publicJWK()), try rsa.publicJWK()),
        ] {
            let read = try VerifiedDPoPProof(
                text, of: .put, endpoint, at: now, ages: .zero...(.seconds(1)),
                accessToken: token)
            #expect(try read.thumbprint == jwk.thumbprint())
            #expect(read.id == "one" && read.nonce == nil)
        }
    }

    @Test func `a proof never carries a private or a shared key, nor another algorithm's`() throws {
        let proof = DPoPProof(of: .get, try Endpoint(RFC9449.resourceURL), at: now, id: "one")
        let rsa = try RS256PrivateKey(privateJWK: jwk(RSAExample.privateJWK))
        for jwk in [
            try key.privateJWK(), try key.publicKey.jwk(adding: ["alg": "ES384"]),
            try key.publicKey.jwk(adding: ["use": "enc"]),
            try key.publicKey.jwk(adding: ["k": "AQAB"]),
            try JWK(["kty": "oct", "k": "AQAB"]), try rsa.privateJWK(), try rsa.publicJWK(),
            try JWK(IssuerKey.p384JWK()),
        ] {
            let code = refusal { try proof.signed(by: key, publicKey: jwk) }
            #expect(code == .invalidArgument)
        }
        let shared = HS256Key(token)
        let secret = try JWK(["kty": "oct", "k": "AQAB"])
        #expect(refusal { try proof.signed(by: shared, publicKey: secret) } == .invalidArgument)
    }

    @Test func `a time that has no whole number is refused`() throws {
        let endpoint = try Endpoint(RFC9449.resourceURL)
        for time in [Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: 1e30)] {
            let proof = DPoPProof(of: .get, endpoint, at: time, id: "one")
            let code = refusal { try proof.signed(by: key, publicKey: key.publicKey.jwk()) }
            #expect(code == .invalidArgument)
        }
    }

    @Test func `no other JWS takes the header of a proof`() throws {
        let proof = DPoPProof(of: .get, try Endpoint(RFC9449.resourceURL), at: now, id: "one")
        let text = try proof.signed(by: key, publicKey: key.publicKey.jwk())
        #expect(refusal { try UnverifiedJWS(parsing: text) } == .untrusted)
        #expect(refusal { try UnverifiedJWT(parsing: RFC9449.tokenProof) } == .untrusted)
    }
}

import Foundation
import IndependentEncodings
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// The token endpoint: client credentials and a proof, narrower than the extension's.
@Suite struct TokenEndpointTests {
    private func proof(
        _ bench: Bench, _ phone: Phone, header: [String: JSON?] = [:],
        _ changes: [String: JSON?] = [:], key: TestKey? = nil
    ) throws -> String {
        let (made, claims) = try phone.proof(
            "POST", Bench.address(Bench.tokenPath), at: bench.clock.now)
        return try (key ?? phone.key).jws(made.changing(header), claims.changing(changes))
    }

    @Test(arguments: ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512"])
    func `a token is bound to the key of the proof, and the realm signed it`(
        algorithm: String
    ) async throws {
        let bench = Bench()
        let phone = try Phone(algorithm, user: "x")
        let reply = try await bench.requestToken(proof(bench, phone))
        #expect(reply.status == 200)
        #expect(reply.json?["token_type"] == "DPoP" && reply.json?["expires_in"] == 300)
        let token = try ReadToken(try #require(reply.json?["access_token"]?.string))
        #expect(try await token.isSigned(by: bench.keySet()))
        #expect(token.claims["iss"] == "https://sso.example/realms/demo")
        #expect(token.claims["azp"] == "push-device-client")
        #expect(token.claims["exp"]?.integer == 1_795_867_500)
        let jwk = try phone.key.jwk
        let names = jwk["kty"] == "RSA" ? ["e", "kty", "n"] : ["crv", "kty", "x", "y"]
        let text = names.map { "\"\($0)\":\"\(jwk[$0]?.string ?? "")\"" }.joined(separator: ",")
        #expect(token.claims["cnf"]?["jkt"]?.string == base64url(sha256("{\(text)}")))
    }

    @Test func `the client may come by HTTP Basic`() async throws {
        let bench = Bench()
        let phone = try Phone(user: "x")
        let headers = [
            ("Content-Type", "application/x-www-form-urlencoded"),
            ("DPoP", try proof(bench, phone)),
            ("Authorization", "Basic " + base64("push-device-client:device%2Dclient-secret")),
        ]
        let form = "grant_type=client_credentials"
        #expect(try await bench.send("POST", Bench.tokenPath, headers, form).status == 200)
    }

    @Test(arguments: [
        ("grant_type=password&client_id=push-device-client", "400 unsupported_grant_type"),
        ("grant_type=client_credentials", "401 unauthorized_client"),
        (Bench.form + "x", "401 unauthorized_client"),
        (Bench.form.replacing("push-", with: "other-"), "401 unauthorized_client"),
        (Bench.form + "&client_id=push-device-client", "400 invalid_request"),
    ])
    func `another grant, another client or a doubled field is refused`(
        form: String, words: String
    ) async throws {
        let bench = Bench()
        let phone = try Phone(user: "x")
        #expect(try await bench.requestToken(proof(bench, phone), form).words == words)
    }

    @Test(arguments: [
        (-25, true), (15, true), (-26, false), (16, false), (20, false), (120, false),
    ])
    func `a proof may be 25 s old and 15 s early`(ahead: Int64, isTaken: Bool) async throws {
        let bench = Bench()
        let phone = try Phone(user: "x")
        let time = JSON.integer(Int64(Bench.now.timeIntervalSince1970) + ahead)
        let reply = try await bench.requestToken(proof(bench, phone, ["iat": time]))
        #expect(reply.status == (isTaken ? 200 : 400))
        let description = reply.json?["error_description"]?.string
        #expect(description == (isTaken ? nil : "DPoP proof is not active"))
    }

    @Test func `a proof that isn't this call's is refused`() async throws {
        let bench = Bench()
        let phone = try Phone(user: "x")
        let other = try Phone(user: "x")
        let secret = try phone.jwk.changing(["d": "AAAA"])
        let bad = try [
            proof(bench, phone, header: ["typ": "JWT"]),
            proof(bench, phone, header: ["jwk": nil]),
            proof(bench, phone, header: ["jwk": .object(secret)]),
            proof(bench, phone, header: ["alg": "ES384"]),
            proof(bench, phone, header: ["alg": "none"]),
            proof(bench, phone, ["htm": "GET"]),
            proof(bench, phone, ["htu": "https://sso.example/realms/demo"]),
            proof(bench, phone, ["jti": nil]), proof(bench, phone, ["iat": "now"]),
            proof(bench, phone, key: other.key), "x.y.z", "",
        ]
        for proof in bad {
            #expect(try await bench.requestToken(proof).words == "400 invalid_request")
        }
        #expect(try await bench.requestToken(nil).words == "400 invalid_request")
    }

    @Test func `a proof is used once`() async throws {
        let bench = Bench()
        let phone = try Phone(user: "x")
        let proof = try proof(bench, phone)
        #expect(try await bench.requestToken(proof).status == 200)
        let again = try await bench.requestToken(proof)
        #expect(again.json?["error_description"] == "DPoP proof has already been used")
    }

    @Test func `a JSON body is no form`() async throws {
        let bench = Bench()
        let reply = try await bench.send(
            "POST", Bench.tokenPath, [("Content-Type", "application/json")], "{}")
        #expect(reply.status == 415)
        #expect(try await bench.send("GET", Bench.tokenPath).status == 405)
    }
}

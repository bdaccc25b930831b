import Foundation
import HTTPTypes
import PushCore
import PushKeycloakSimulator
import PushTesting
import Testing

/// Changes of push address and key, removal, and replies that no check makes.
@Suite struct UpkeepTests {
    private static let providerPath = Bench.realm + "/push-mfa/device/push-provider"
    private static let keyPath = Bench.realm + "/push-mfa/device/rotate-key"

    @Test func `a push address changes, and with it the type if one is named`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let steps: [(JSON, String, String, DeviceToken?)] = [
            (["pushProviderId": "fcm-token-1"], "unchanged", "fcm", .fcm("fcm-token-1")),
            (["pushProviderId": "new"], "updated", "fcm", .fcm("new")),
            (["pushProviderId": "new", "pushProviderType": ""], "unchanged", "fcm", .fcm("new")),
            (["pushProviderId": "disabled", "pushProviderType": "none"], "updated", "none", nil),
            (
                ["pushProviderId": "back", "pushProviderType": "fcm"], "updated", "fcm",
                .fcm("back")
            ),
        ]
        for (body, word, type, token) in steps {
            let reply = try await bench.call("PUT", Self.providerPath, by: phone, body)
            #expect(reply.words == "200 \(word)")
            let device = try #require(await bench.server.devices(of: "jane").first)
            #expect(device.providerType == type && device.deviceToken == token)
        }
        let long = String(repeating: "x", count: 2049)
        for (body, words) in [
            (["pushProviderType": "none"], "400 Missing field: pushProviderId"),
            (
                ["pushProviderId": "", "pushProviderType": "none"],
                "400 Missing field: pushProviderId"
            ),
            (["pushProviderId": .string(long)], "400 Field too long: pushProviderId"),
        ] as [(JSON, String)] {
            #expect(
                try await bench.call("PUT", Self.providerPath, by: phone, body).words == words)
        }
    }

    @Test(arguments: ["RS256", "ES256", "ES384", "ES512"])
    func `a new key takes the old one's place at once`(algorithm: String) async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let oldToken = try await bench.accessToken(phone)
        var renewed = phone
        renewed.key = try TestKey(algorithm)
        renewed.algorithm = algorithm
        let body: JSON = ["publicKeyJwk": .object(try renewed.jwk)]
        let before = await bench.server.devices(of: "jane")
        #expect(try await bench.call("PUT", Self.keyPath, by: phone, body).words == "200 rotated")
        #expect(await bench.server.devices(of: "jane") != before)
        let old = try await bench.pending(phone)
        let words = ["403 Invalid DPoP proof signature", "400 JWK algorithm mismatch"]
        #expect(old.words == words[algorithm == "ES256" ? 0 : 1])
        #expect(try await bench.listed(renewed).isEmpty)
        let stale = try await bench.call(
            "GET", Bench.pendingPath, query: "?userId=\(phone.user)", by: renewed, with: oldToken)
        #expect(stale.words == "403 Access token DPoP binding mismatch")
        let login = try await bench.start()
        #expect(try await bench.answer(renewed, login.id).words == "200 approved")
    }

    @Test func `a new key that can't be used leaves the old one`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let jwk = try Phone(user: "x").jwk
        let bad: [(JSON, String)] = [
            ([:], "400 Request missing publicKeyJwk"),
            (["publicKeyJwk": "x"], "400 JWK must be an object"),
            (
                ["publicKeyJwk": .object(jwk.changing(["d": "AQAB"]))],
                "400 JWK must not contain private key parameters"
            ),
            (["publicKeyJwk": .object(jwk.changing(["alg": nil]))], "400 JWK missing alg"),
            (
                ["publicKeyJwk": .object(jwk.changing(["alg": "EdDSA"]))],
                "400 Unsupported rotate-key request algorithm: EdDSA"
            ),
            (
                ["publicKeyJwk": .object(jwk.changing(["alg": "ES384"]))],
                "400 EC curve P-256 incompatible with ES384"
            ),
            (["publicKeyJwk": .object(jwk.changing(["x": "AQAB"]))], "400 Unable to parse JWK"),
        ]
        for (body, words) in bad {
            #expect(try await bench.call("PUT", Self.keyPath, by: phone, body).words == words)
        }
        #expect(try await bench.listed(phone).isEmpty)
    }

    @Test func `a removed device is told so at its next call`() async throws {
        let bench = Bench()
        let phone = try await bench.enrolled()
        let login = try await bench.start()
        await bench.server.removeDevice(phone.credentialID)
        #expect(try await bench.pending(phone).words == "403 Device not registered for user")
        let answer = try await bench.answer(phone, login.id)
        #expect(answer.words == "403 Device not registered for user")
        #expect(await bench.server.devices(of: "jane").isEmpty)
    }

    // MARK: Other replies

    @Test func `another path is unknown, and a client that prefers HTML gets a page`()
        async throws
    {
        let bench = Bench()
        for path in ["/", "/realms/other/push-mfa/login/pending", Bench.realm + "/push-mfa/x"] {
            #expect(try await bench.send("GET", path).words == "404 HTTP 404 Not Found")
        }
        let page = try await bench.send(
            "GET", Bench.pendingPath + "?userId=x", [("Accept", "text/html,*/*")])
        #expect(page.status == 401 && page.json == nil)
    }

    @Test func `a test forces errors, strangers and pauses`() async throws {
        let bench = Bench()
        await bench.server.force(
            status: 409, times: 1, error: "Challenge is currently being resolved", retryAfter: 2)
        await bench.server.forceStranger(status: 200)
        await bench.server.forceStranger(status: 200, body: "{}")
        await bench.server.force(status: 503)
        let path = Bench.realm + "/protocol/openid-connect/certs"
        let busy = try await bench.send("GET", path)
        #expect(busy.words == "409 Challenge is currently being resolved")
        #expect(busy.headers[.retryAfter] == "2")
        let page = try await bench.send("GET", path)
        #expect(page.status == 200 && page.json == nil)
        #expect(try await bench.send("GET", path).json == [:])
        #expect(try await bench.send("GET", path).words == "503 unknown_error")
        #expect(try await bench.send("GET", path).json?["keys"] != nil)
        #expect(await bench.server.exchanges.map(\.status) == [409, 200, 200, 503, 200])
    }

    @Test func `a server whose clock is off judges by its own, and may say its time`()
        async throws
    {
        let bench = Bench {
            $0.clockOffset = .seconds(20)
            $0.sendsDate = true
        }
        let phone = try Phone(user: "x")
        let proof = try phone.proof(
            "POST", Bench.address(Bench.tokenPath), at: bench.clock.now + 40)
        let reply = try await bench.requestToken(phone.key.jws(proof.header, proof.claims))
        #expect(reply.json?["error_description"] == "DPoP proof is not active")
        #expect(reply.headers[.date] == "Sat, 28 Nov 2026 12:00:20 GMT")
        await bench.server.configure { $0.sendsDate = false }
        #expect(try await bench.send("GET", "/").headers[.date] == nil)
    }

    @Test func `the realm may stand under a path, and move`() async throws {
        let bench = Bench {
            $0.contextPath = "/auth"
            $0.realm = "staff"
        }
        try await bench.server.move(to: "https://login.example:8443")
        let token = try await bench.invited()
        #expect(token.claims["iss"] == "https://login.example:8443/auth/realms/staff")
        #expect(token.claims["aud"] == "staff")
        let path = "/auth/realms/staff/protocol/openid-connect/certs"
        #expect(try await bench.send("GET", path).status == 200)
        await #expect(throws: PushError.self) {
            try await bench.server.move(to: "https://login.example/auth")
        }
    }
}

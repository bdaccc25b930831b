import Foundation
import HTTPTypes
import LocalServer
import PushCore
import Testing

@testable import PushAuthCommand

struct OAuthEndpointTests {
    @Test func `a signed assertion becomes an access token that sends`() async throws {
        let fixture = try await IntakeFixture()
        let reply = fixture.grant(try fixture.assertion())
        #expect(reply.status == .ok)
        #expect(reply.body?["token_type"] == "Bearer")
        #expect(reply.body?["expires_in"] == 3599)
        #expect(reply.headers[.cacheControl] == "no-store")
        let access = try #require(reply.body?["access_token"]?.string)
        let sent = fixture.send(
            ["token": .string(fixture.fcm.token)], credential: "bearer \(access)")
        #expect(sent.status == .ok)
    }

    /// Claims that are changed, and what is wrong with that.
    static let spoiled: [(name: String, value: JSON?, error: String)] = [
        ("iss", "somebody@else.invalid", "invalid_grant"), ("iss", nil, "invalid_grant"),
        ("aud", "https://oauth2.example.com/token", "invalid_grant"),
        ("aud", nil, "invalid_grant"),
        ("iat", nil, "invalid_grant"), ("iat", "1790000000", "invalid_grant"),
        ("iat", 1_790_000_301, "invalid_grant"), ("iat", 1_789_999_999, "invalid_grant"),
        ("iat", -9_223_372_036_854_775_807, "invalid_grant"),
        ("exp", nil, "invalid_grant"), ("exp", 1_789_999_700, "invalid_grant"),
        ("exp", 1_790_003_601, "invalid_grant"),
        ("exp", 9_223_372_036_854_775_807, "invalid_grant"),
        ("scope", nil, "invalid_scope"), ("scope", " ", "invalid_scope"),
        ("scope", "https://www.googleapis.com/auth/nonsense", "invalid_scope"),
    ]

    @Test(arguments: spoiled.indices)
    func `an assertion with a wrong claim is refused`(_ index: Int) async throws {
        let (name, value, error) = Self.spoiled[index]
        let fixture = try await IntakeFixture()
        var claims = fixture.claims()
        claims[name] = value
        let reply = fixture.grant(try fixture.assertion(claims))
        #expect(reply.status == .badRequest)
        #expect(reply.body?["error"]?.string == error)
        #expect(reply.body?["access_token"] == nil)
    }

    @Test func `clocks may differ by five minutes`() async throws {
        let fixture = try await IntakeFixture()
        var claims = fixture.claims()
        claims["iat"] = 1_790_000_300
        #expect(fixture.grant(try fixture.assertion(claims)).status == .ok)
        claims["iat"] = .number(try #require(.init(1_790_000_299.75)))
        claims["exp"] = .number(try #require(.init(1_790_003_899.5)))
        #expect(fixture.grant(try fixture.assertion(claims)).status == .ok)
        claims["iat"] = 1_789_996_500
        claims["exp"] = 1_789_999_701
        #expect(fixture.grant(try fixture.assertion(claims)).status == .ok)
    }

    @Test(
        arguments: [
            ["alg": "none"], ["alg": "HS256"], ["alg": "RS512"], [:],
            ["alg": "RS256", "kid": "another"], ["alg": "RS256", "crit": ["x"], "x": 1],
        ] as [JSON.Object])
    func `an assertion with another algorithm or key is refused`(
        _ header: JSON.Object
    ) async throws {
        let fixture = try await IntakeFixture()
        let reply = fixture.grant(try fixture.assertion(header: header))
        #expect(reply.body?["error"] == "invalid_grant")
    }

    @Test func `an assertion that somebody else signed is refused`() async throws {
        let fixture = try await IntakeFixture()
        let stranger = try await IntakeFixture.stranger
        let reply = fixture.grant(try fixture.assertion(by: stranger.key))
        #expect(reply.body?["error"] == "invalid_grant")
    }

    @Test func `an assertion that was changed after signing is refused`() async throws {
        let fixture = try await IntakeFixture()
        let parts = try fixture.assertion().split(separator: ".").map(String.init)
        var claims = fixture.claims()
        claims["scope"] = "https://www.googleapis.com/auth/cloud-platform"
        let other = JSON.object(claims).data.base64URL
        for text in [
            "\(parts[0]).\(other).\(parts[2])", "\(parts[0]).\(parts[1]).",
            "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).\(parts[2]).x",
            "\(parts[0]).\(parts[1]).\(parts[2])=", "e30.e30.AA", "x", "",
        ] {
            #expect(fixture.grant(text).body?["error"] == "invalid_grant")
        }
    }

    @Test(arguments: [
        ("", "invalid_request"), ("assertion=a.b.c", "invalid_request"),
        ("grant_type=password&assertion=a.b.c", "unsupported_grant_type"),
        ("grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", "invalid_request"),
        ("grant_type=password&grant_type=password", "invalid_request"),
        ("grant_type", "invalid_request"), ("grant_type=%zz", "invalid_request"),
    ])
    func `a form that isn't a token request is refused`(
        _ form: String, _ error: String
    ) async throws {
        let reply = try await IntakeFixture().token(form)
        #expect(reply.status == .badRequest)
        #expect(reply.body?["error"]?.string == error)
    }

    @Test func `another method or content type is refused`() async throws {
        let fixture = try await IntakeFixture()
        let body = Data("grant_type=x".utf8)
        let get = fixture.request(.get, "/token")
        #expect(fixture.fcm.reply(to: get, body, at: .now).status == .methodNotAllowed)
        let json = fixture.request(.post, "/token", [.contentType: "application/json"])
        #expect(fixture.fcm.reply(to: json, body, at: .now).body?["error"] == "invalid_request")
    }

    @Test func `access tokens end after an hour, and those of another service never count`()
        async throws
    {
        let (one, other) = (
            AccessTokens(key: Secret(Array(repeating: 1, count: 32))),
            AccessTokens(key: Secret(Array(repeating: 2, count: 32)))
        )
        let now = IntakeFixture.now
        let token = one.make(.messaging, at: now)
        #expect(try one.grant(of: token, at: now + 3599) == .messaging)
        #expect(throws: AccessTokens.Refusal.over) { try one.grant(of: token, at: now + 3600) }
        #expect(throws: AccessTokens.Refusal.unknown) { try other.grant(of: token, at: now) }
        #expect(
            try one.grant(of: one.make(.somethingElse, at: now), at: now) == .somethingElse)
        var bytes = try #require(Data(base64URL: token))
        for index in bytes.indices {
            bytes[index] ^= 1
            #expect((try? one.grant(of: bytes.base64URL, at: now)) == nil)
            bytes[index] ^= 1
        }
        #expect((try? one.grant(of: bytes.dropLast().base64URL, at: now)) == nil)
        #expect((try? one.grant(of: "", at: now)) == nil)
    }
}

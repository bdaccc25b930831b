import Crypto
import Foundation
import LocalServer
import PushCore
import Testing

@testable import PushAuthCommand
@testable import push_lab

struct ProviderKeyTests {
    private func reason(
        _ make: (IntakeFixture) throws -> String?
    ) async throws -> APNsReason? {
        let fixture = try await IntakeFixture()
        let token = try make(fixture)
        do throws(APNsReason) {
            try fixture.apns.key.check(token, at: IntakeFixture.now)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [Int64(0), 3600, -300])
    func `a token of the last hour is taken`(_ age: Int64) async throws {
        #expect(try await reason { try $0.providerToken(age: age) } == nil)
    }

    @Test(
        arguments: [
            .number(.init(1_789_999_999)), "1790000000",
            JSON.Number(1_789_999_999.75).map { .number($0) },
        ] as [JSON?])
    func `a moment may have a fraction, or be digits as text`(_ issued: JSON?) async throws {
        let claims: JSON.Object = ["iss": "TEAM000001", "iat": try #require(issued)]
        #expect(try await reason { try $0.providerToken(claims: claims) } == nil)
    }

    @Test func `an older token is expired, and one from the future invalid`() async throws {
        #expect(
            try await reason { try $0.providerToken(age: 3601) } == .expiredProviderToken)
        #expect(
            try await reason { try $0.providerToken(age: -301) } == .invalidProviderToken)
    }

    @Test(
        arguments: [
            ["alg": "none", "kid": "KEY0000001"], ["alg": "HS256", "kid": "KEY0000001"],
            ["kid": "KEY0000001"], ["alg": "ES256"], ["alg": "ES256", "kid": "KEY0000002"],
            ["alg": "ES256", "kid": "KEY0000001", "crit": ["x"], "x": 1],
        ] as [JSON.Object])
    func `another algorithm or key identifier, or what must be understood, is invalid`(
        _ header: JSON.Object
    ) async throws {
        #expect(
            try await reason { try $0.providerToken(header: header) } == .invalidProviderToken)
    }

    @Test(
        arguments: [
            [:], ["iss": "TEAM000002"], ["iss": 1], ["iss": "TEAM000001", "iat": "1790000000.5"],
            ["iss": "TEAM000001", "iat": ""], ["iss": "TEAM000001", "iat": "-1"],
            ["iss": "TEAM000001", "iat": true],
            ["iss": "TEAM000001", "iat": -9_223_372_036_854_775_807],
            ["iss": "TEAM000001", "iat": 9_223_372_036_854_775_807],
        ] as [JSON.Object])
    func `another team or no moment is invalid`(_ claims: JSON.Object) async throws {
        #expect(
            try await reason { try $0.providerToken(claims: claims) } == .invalidProviderToken)
    }

    @Test func `a token that somebody else signed, or that was changed, is invalid`() async throws {
        let stranger = try await reason { _ in
            try signedToken(
                header: ["alg": "ES256", "kid": "KEY0000001"],
                claims: ["iss": "TEAM000001", "iat": 1_790_000_000]
            ) { try P256.Signing.PrivateKey().signature(for: $0).rawRepresentation }
        }
        #expect(stranger == .invalidProviderToken)
        let changed = try await reason { fixture in
            let parts = try fixture.providerToken().split(separator: ".")
            let claims: JSON = ["iss": "TEAM000001", "iat": 1_790_000_001]
            return "\(parts[0]).\(claims.data.base64URL).\(parts[2])"
        }
        #expect(changed == .invalidProviderToken)
        // The form of ECDSA signatures that JOSE doesn't use (RFC 7518, section 3.4).
        let der = try await reason { fixture in
            try signedToken(
                header: ["alg": "ES256", "kid": "KEY0000001"],
                claims: ["iss": "TEAM000001", "iat": 1_790_000_000]
            ) { try fixture.apns.key.key.signature(for: $0).derRepresentation }
        }
        #expect(der == .invalidProviderToken)
    }

    @Test func `no token is a missing one`() async throws {
        #expect(try await reason { _ in nil } == .missingProviderToken)
        #expect(try await reason { _ in "" } == .invalidProviderToken)
    }
}

import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// What is offered by a code, and what isn't: nothing is sent for it.
@Suite struct InvitationTests {
    private let claims: JSON.Object

    init() throws { claims = try Vectors().object("code") }

    private func offer(_ text: String) async throws -> Invitation.Offer? {
        try await ScriptedHarness().provider.enroller.offer(.scanned(text: text))
    }

    private func token(_ changes: [String: JSON?] = [:]) throws -> String {
        try RealmTestKey.one.signed(claims.with(changes))
    }

    @Test(arguments: [
        "my-secure://enroll?token=", "https://app.example.com/enroll?x=1&token=",
        "my-secure://enroll?flag&token=", "",
    ])
    func `a token in a code is an offer, whatever stands before it`(prefix: String) async throws {
        let offer = try #require(try await offer(prefix + token()))
        #expect(offer.issuer == "demo" && offer.account == "jane")
        #expect(offer.host == "sso.example")
    }

    @Test(arguments: [
        "my-secure://enroll?request_uri=https%3A%2F%2Fsso.example%2Frealms%2Fdemo%2Fpush-mfa%2Fenroll%2Frequest-token%2F",
        "https://sso.example/realms/demo/push-mfa/enroll/request-token/",
    ])
    func `a reference in a code is an offer that doesn't know the user`(
        prefix: String
    ) async throws {
        let offer = try #require(try await offer(prefix + Sample.handle))
        #expect(offer.issuer == "demo" && offer.account == nil)
        #expect(offer.host == "sso.example")
    }

    @Test(arguments: [
        "hello", "https://www.example.com/", "my-secure://enroll", "my-secure://enroll?token=a.b.c",
        "openid4vp://?request_uri=https%3A%2F%2Fsso.example%2Frequests%2F1",
        "my-secure://enroll?tokens=a", "otpauth://totp/a?secret=GEZDGNBV",
        "my-secure://enroll?token=%ZZ",
    ])
    func `a code of somebody else's is left alone`(text: String) async throws {
        #expect(try await offer(text) == nil)
    }

    @Test func `a token that is no enrollment's, or stands there twice, is left alone`()
        async throws
    {
        let confirm = try RealmTestKey.one.signed(Vectors().object("confirm"))
        #expect(try await offer("my-secure://enroll?token=\(confirm)") == nil)
        let token = try token()
        #expect(try await offer("my-secure://enroll?token=\(token)&token=\(token)") == nil)
    }

    @Test(arguments: [
        "https://sso.example/realms/other", "https://sso.example/realms/demo/",
        "https://evil.example/realms/demo", "http://sso.example/realms/demo",
    ])
    func `a realm that isn't configured enrolls nobody`(issuer: String) async throws {
        let token = try token(["iss": .string(issuer)])
        let byToken = try await refusal { _ = try await offer("my-secure://enroll?token=\(token)") }
        #expect(byToken.code == .invalidInvitation)
        let reference = "\(issuer)/push-mfa/enroll/request-token/\(Sample.handle)"
        let byReference = try await refusal { _ = try await offer(reference) }
        #expect(byReference.code == .invalidInvitation)
    }

    @Test(arguments: ["x", "7c9e6679-7425-40de-944b-e07fc1f90ae7/..", "../../token", ""])
    func `a reference that doesn't end in a UUID is refused`(handle: String) async throws {
        let text = "https://sso.example/realms/demo/push-mfa/enroll/request-token/\(handle)"
        #expect(try await refusal { _ = try await offer(text) }.code == .invalidInvitation)
    }

    @Test(arguments: [
        "https://sso.example/realms/", "https://sso.example/demo", "sso.example/realms/demo",
        "https://sso.example/realms/demo/", "https://sso.example/realms/demo?x=1",
        "http://sso.example/realms/demo",
    ])
    func `an issuer that is no realm's can't be configured`(issuer: String) async throws {
        #expect(try await refusal { _ = try Sample.realm(issuer) }.code == .invalidArgument)
    }

    @Test func `plain HTTP is for tests, and a client's secret is a text`() throws {
        typealias Realm = KeycloakConfiguration.Realm
        let plain = try Realm(
            issuer: "http://localhost:8080/realms/demo", clientID: "c",
            clientSecret: Secret([0x61]),
            allowsPlainHTTP: true)
        #expect(plain.issuer.text == "http://localhost:8080/realms/demo")
        #expect {
            try Realm(
                issuer: "https://sso.example/realms/demo", clientID: "c",
                clientSecret: Secret([0xFF]))
        } throws: {
            ($0 as? PushError)?.code == .invalidArgument
        }
    }

    @Test func `a realm may be below a context path, and its name may be encoded`() throws {
        let realm = try Sample.realm("https://sso.example:8443/auth/realms/my%20bank")
        #expect(realm.name == "my bank")
        #expect(
            realm.tokens.text
                == "https://sso.example:8443/auth/realms/my%20bank/protocol/openid-connect/token")
    }
}

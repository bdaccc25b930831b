import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// What a device sends when it enrolls: `docs/vendors/plusauth.md#enrollment-request`.
@Suite struct EnrollmentTests {
    private func posted(by harness: PlusAuthHarness) async throws -> Posted {
        try #require(await harness.enrollments().last)
    }

    @Test func `the request goes where the code says, with the code's bearer`() async throws {
        let harness = try PlusAuthHarness()
        let enrollment = try await harness.enroll()
        let posted = try await posted(by: harness)
        #expect(await harness.transport.exchanges.count == 1)
        #expect(posted.request.method == .post)
        #expect(posted.url == WorkedExample.enroll)
        #expect(try posted.field("Authorization") == "Bearer enr+Qk2/0001=")
        #expect(try posted.field("Content-Type") == "application/json")
        let members = try posted.members()
        #expect(
            Set(members.members.map(\.name))
                == ["public_key", "private_key", "device_identifier", "credentials"])
        #expect(
            try posted.object("credentials") == [
                "service": "fcm", "device_token": "fcm-token-0001",
            ]
        )
        #expect(enrollment.state == .active)
        #expect(enrollment.issuer == "Acme Bank")
        #expect(enrollment.account == "ada@example.com")
        #expect(enrollment.host == "tenant.plusauth.example")
        #expect(enrollment.created == WorkedExample.now)
        #expect(enrollment.deviceToken == .fcm(WorkedExample.deviceToken))
        #expect(try await harness.authenticator.enrollments() == [enrollment])
    }

    // MARK: Keys

    @Test func `without another wish the key pair is RSA of 2048 bits`() async throws {
        let harness = try PlusAuthHarness(PlusAuth.Configuration())
        let enrollment = try await harness.enroll()
        let posted = try await posted(by: harness)
        let (publicKey, privateKey) = try (
            posted.object("public_key"), posted.object("private_key")
        )
        let members: Set = ["kty", "n", "e", "use", "alg", "kid"]
        #expect(Set(publicKey.members.map(\.name)) == members)
        let halves = members.union(["d", "p", "q", "dp", "dq", "qi"])
        #expect(Set(privateKey.members.map(\.name)) == halves)
        for name in members { #expect(publicKey[name] == privateKey[name]) }
        #expect(publicKey["kty"] == "RSA")
        #expect(publicKey["alg"] == "RS256")
        #expect(publicKey["use"] == "sig")
        #expect(publicKey["e"] == "AQAB")
        let modulus = try #require(publicKey["n"]?.string.flatMap { decoded(base64url: $0) })
        #expect(modulus.count == 256)
        #expect(try #require(modulus.first) >= 0x80)
        #expect(publicKey["kid"]?.string == thumbprint(publicKey))
        #expect(enrollment.id.name == thumbprint(publicKey))
        // Reading it checks that the members belong together; signing, that both halves do.
        let key = try posted.key()
        #expect(try key.accepts(key.signature(over: "x"), over: "x"))
    }

    @Test func `on request the key pair is P-256`() async throws {
        let harness = try PlusAuthHarness()
        let enrollment = try await harness.enroll()
        let posted = try await posted(by: harness)
        let (publicKey, privateKey) = try (
            posted.object("public_key"), posted.object("private_key")
        )
        let members: Set = ["kty", "crv", "x", "y", "use", "alg", "kid"]
        #expect(Set(publicKey.members.map(\.name)) == members)
        #expect(Set(privateKey.members.map(\.name)) == members.union(["d"]))
        for name in members { #expect(publicKey[name] == privateKey[name]) }
        #expect(publicKey["kty"] == "EC")
        #expect(publicKey["crv"] == "P-256")
        #expect(publicKey["alg"] == "ES256")
        #expect(publicKey["use"] == "sig")
        #expect(publicKey["kid"]?.string == thumbprint(publicKey))
        #expect(enrollment.id.name == thumbprint(publicKey))
        let scalar = try #require(privateKey["d"]?.string.flatMap { decoded(base64url: $0) })
        let point = try P256.Signing.PrivateKey(rawRepresentation: scalar).publicKey
        let x = try #require(publicKey["x"]?.string.flatMap { decoded(base64url: $0) })
        let y = try #require(publicKey["y"]?.string.flatMap { decoded(base64url: $0) })
        #expect(Array(point.rawRepresentation) == x + y)
    }

    @Test func `every account gets a key pair of its own`() async throws {
        let harness = try PlusAuthHarness()
        for name in ["ada", "bob", "cy"] { try await harness.enroll(.account(name)) }
        try await harness.enroll(.at("https://other.plusauth.example/enroll"))
        #expect(Set(try await harness.authenticator.enrollments().map(\.id)).count == 4)
        #expect(Set(try await harness.enrollments().map { try $0.key().id }).count == 4)
    }

    // MARK: Device

    @Test func `the device's identifier is an HMAC of the origin, alike for all its accounts`()
        async throws
    {
        let bytes = (0..<16).map { 7 &+ UInt8($0) &* 17 }
        let random = RepeatingRandom(bytes)
        let harness = try PlusAuthHarness(random: random)
        let origins = [
            (
                "https://tenant.plusauth.example/push-authenticator/enroll",
                "https://tenant.plusauth.example"
            ),
            ("https://TENANT.PlusAuth.example:443/x/enroll", "https://tenant.plusauth.example"),
            ("https://tenant.plusauth.example:8443/enroll", "https://tenant.plusauth.example:8443"),
            ("https://xn--rzte-koa.example/enroll", "https://xn--rzte-koa.example"),
        ]
        for (index, (url, origin)) in origins.enumerated() {
            try await harness.enroll(.at(url).with(label: "Acme:\(index)"))
            let sent = try await posted(by: harness).members()["device_identifier"]?.string
            #expect(sent == uuidText(hmac(bytes, origin)))
        }
    }

    @Test func `the identifier stays with the installation`() async throws {
        let harness = try PlusAuthHarness()
        try await harness.enroll(.account("ada"))
        let first = try await posted(by: harness).members()["device_identifier"]
        // Another start of the app, whose randomness is another.
        let later = try PlusAuthHarness(sharing: harness)
        try await later.enroll(.account("bob"))
        #expect(try await posted(by: later).members()["device_identifier"] == first)
        let elsewhere = try PlusAuthHarness()
        try await elsewhere.enroll(.account("ada"))
        #expect(try await posted(by: elsewhere).members()["device_identifier"] != first)
    }

    @Test(
        arguments: [
            (.fcm("a:B_c-1"), "fcm", "a:B_c-1"),
            (.apns(hex: "00FFAB", isSandbox: false), "apns", "00ffab"),
            (.apns(hex: "00ffab", isSandbox: true), "apns", "00ffab"),
        ] as [(DeviceToken, String, String)])
    func `a token is told with its service`(token: DeviceToken, service: String, text: String)
        async throws
    {
        let harness = try PlusAuthHarness()
        try await harness.enroll(token: token)
        let credentials = try await posted(by: harness).object("credentials")
        #expect(
            credentials == ["service": .string(service), "device_token": .string(text)])
    }

    @Test func `the service's word can be configured`() async throws {
        let harness = try PlusAuthHarness(.ec { $0.service = "gcm" })
        try await harness.enroll()
        #expect(try await posted(by: harness).object("credentials")["service"] == "gcm")
    }

    @Test func `without a device token nothing is sent`() async throws {
        let harness = try PlusAuthHarness()
        let error = try await refusal { try await harness.enroll(token: nil) }
        #expect(error.code == .missingDeviceToken)
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test(
        arguments: [
            (.apple, "(iPhone; CPU iPhone OS "), (.android, "(Linux; Android "),
        ] as [(Device.Platform, String)])
    func `the user agent has a form that servers can read`(
        platform: Device.Platform, form: String
    ) async throws {
        let harness = try PlusAuthHarness(platform: platform)
        try await harness.enroll()
        let agent = try #require(try await posted(by: harness).field("User-Agent"))
        let product = try #require(agent.split(separator: " ").first)
        #expect(product.split(separator: "/").count == 2)
        #expect(agent.contains(form))
        #expect(agent.hasSuffix(")"))
    }

    @Test(arguments: ["x\r\nEvil: 1", "Ädas (Gerät); x", "\u{1F4F1}", "", "a\u{0}b"])
    func `no device's name breaks the user agent`(name: String) async throws {
        for platform in [.apple, .android, .other] as [Device.Platform] {
            let harness = try PlusAuthHarness(platform: platform, name: name)
            try await harness.enroll()
            let agent = try #require(try await posted(by: harness).field("User-Agent"))
            #expect(agent.utf8.allSatisfy { 0x20...0x7E ~= $0 })
            #expect(agent.filter { $0 == "(" }.count == agent.filter { $0 == ")" }.count)
        }
    }

    @Test func `a configured user agent is sent as it is, to both endpoints`() async throws {
        let agent = "App/1.2 (Linux; Android 14; Pixel 8)"
        let harness = try await PlusAuthHarness.enrolled(.ec { $0.userAgent = agent })
        #expect(try await posted(by: harness).field("User-Agent") == agent)
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.lastAnswer().field("User-Agent") == agent)
    }

    @Test func `a bearer that would break the header is never sent`() async throws {
        let harness = try PlusAuthHarness()
        await #expect(throws: PushError.self) {
            try await harness.enroll(EnrollmentCode().with("context_token", "a%0D%0AEvil%3A%201"))
        }
        #expect(await harness.transport.exchanges.isEmpty)
    }

    // MARK: Device tokens later

    @Test func `there is no call that tells a new device token, and the app sees that`()
        async throws
    {
        let harness = try await PlusAuthHarness.enrolled()
        let id = try await harness.account().id
        try await harness.authenticator.deviceTokenChanged(.fcm("fcm-token-0002"))
        #expect(try await harness.authenticator.deviceTokenStates() == [id: .unsupported])
        #expect(await harness.answers().isEmpty)
        #expect(!harness.provider.capabilities.contains(.tokenUpdate))
        #expect(!harness.provider.capabilities.contains(.pendingList))
        #expect(harness.provider.capabilities.contains(.denyReasons))
        let account = try await harness.accounts.existing(id)
        let error = try await refusal {
            try await harness.provider.enroller.update(.fcm("x"), of: account)
        }
        #expect(error.code == .unsupported)
    }

    @Test func `removing an account removes its key`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        try await harness.authenticator.remove(harness.account().id)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(try await harness.refusal(of: ContextJWT(key).message()).code == .untrusted)
    }
}

import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// AM's quirks: what its messages have in forms that are easily missed, and in which the vendor's
/// own apps differ. See `docs/vendors/forgerock.md`.
@Suite struct AMQuirkTests {
    /// A token that AM hasn't been told.
    var newToken: DeviceToken { .apns(hex: WorkedExample.newToken, isSandbox: false) }

    func parsed(_ code: EnrollmentCode) throws -> EnrollmentURI {
        try #require(try EnrollmentURI(code.text))
    }

    @Test func `a response is padded standard Base64, a token's parts are bare base64url`()
        async throws
    {
        for _ in 0..<20 {
            let key = randomBytes()
            let harness = try await ForgeRockHarness.enrolled(
                EnrollmentCode().with("s", base64url(key)))
            _ = try await harness.notification(AMPush().about(randomBytes()).signed(by: key))
                .accept()
            let posted = try await harness.lastPost(key: key)
            let response = try #require(posted.claims["response"]?.string)
            #expect(response.count == 44)
            #expect(response.hasSuffix("="))
            #expect(!response.contains { "-_".contains($0) })
            #expect(!posted.jwt.contains { "+/=".contains($0) })
        }
    }

    @Test func `the MAC is over the decoded challenge, by the decoded secret`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush()).accept()
        let response = try await harness.lastPost().claims["response"]?.string
        #expect(response == base64(hmac(WorkedExample.secret, WorkedExample.challenge)))
        let (secret, challenge) = (WorkedExample.secret, WorkedExample.challenge)
        #expect(response != base64(hmac(secret, base64(challenge).utf8)))
        #expect(response != base64(hmac(Array(base64(secret).utf8), challenge)))
    }

    @Test(arguments: [AMPush(), .challenge(), .biometric])
    func `a yes has no member deny at all`(push: AMPush) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(push)
        switch notification.pushType {
        case .challenge: _ = try await notification.accept(challengeResponse: "42")
        case .biometric:
            _ = try await notification.accept(title: "x", allowDeviceCredentials: true)
        default: _ = try await notification.accept()
        }
        #expect(try await harness.lastPost().claims["deny"] == nil)
    }

    @Test func `a yes to a challenge always carries the number`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        let challenge = try await harness.authenticator.challenge(notification.id)
        for resolution in [.approve, .choose(""), .enter("42"), .enter("")] as [Resolution] {
            let error = try await refusal {
                _ = try await harness.authenticator.resolve(challenge, with: resolution)
            }
            #expect(error.code == .invalidResolution)
        }
        let error = try await refusal { _ = try await notification.accept() }
        #expect(error.code == .invalidResolution)
        #expect(try await harness.posts().isEmpty)
        _ = try await harness.authenticator.resolve(challenge, with: .choose("42"))
        #expect(try await harness.lastPost().claims["challengeResponse"] == "42")
    }

    @Test func `success says that AM took the answer, for a wrong number as well`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        #expect(try await notification.accept(challengeResponse: "17") == .delivered)
    }

    @Test func `after 400 a challenge is pending still, and can be tried again`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        await harness.server.reply(400)
        _ = try await notification.accept(challengeResponse: "17")
        #expect(try await harness.records().map(\.state) == [.open])
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
    }

    @Test func `times come as text or number, in seconds and in milliseconds`() async throws {
        for (ttl, time) in [("120", "1760000300000"), (120, 1_760_000_300_000)] as [(JSON, JSON)] {
            let harness = try await ForgeRockHarness.enrolled()
            harness.clock.set(Date(timeIntervalSince1970: 0))
            let content = try await harness.notification(
                AMPush().with("t", ttl).with("i", time)
            ).content
            #expect(content.ttl == 120)
            #expect(content.timeAdded == WorkedExample.issued)
            #expect(content.timeExpired == WorkedExample.expiry)
        }
    }

    @Test func `a combined code's image is raw, and what it cuts off does no harm`() throws {
        let raw = "https://am.example.com/logo.png?a=1&z=2"
        let cut = try parsed(.combined().with("image", raw))
        #expect(cut.image?.text == "https://am.example.com/logo.png?a=1")
        #expect(cut.profileID == WorkedExample.profileID)
    }

    @Test(arguments: ["", "*", "javascript:alert(1)", "file:///etc/passwd", "%00"])
    func `a bad image or color is dropped, and the code used`(bad: String) throws {
        for code in [EnrollmentCode(), .combined()] {
            #expect(try parsed(code.with("image", bad)).image == nil)
            #expect(try parsed(code.with("b", bad)).backgroundColor == nil)
        }
    }

    @Test func `a plus is a plus, and only the first equals sign divides`() async throws {
        let uri = try parsed(
            EnrollmentCode().with("m", "REGISTER:a+b=c").with("s", base64(WorkedExample.secret)))
        #expect(uri.messageID == "REGISTER:a+b=c")
        #expect(uri.sharedSecret.copied == WorkedExample.secret)
    }

    @Test func `every value comes in either alphabet, padded or not`() throws {
        // Encodings with "-" or "+", "_" or "/", and padding.
        let secret: [UInt8] = [0xfb, 0xff, 0xfe, 0xfb]
        let issuer = "B\u{ff}\u{3ff}?>~\u{2ff}\u{fff}"
        let url = "https://am.example.com/?_action=register&x=~~??>>"
        for encode in [base64, base64url, { base64url($0) + "==" }, mixed]
            as [([UInt8]) -> String]
        {
            func encoded(_ text: String) -> String { encode(Array(text.utf8)) }
            let uri = try parsed(
                EnrollmentCode().with("s", encode(secret)).with("c", encode(secret))
                    .with("issuer", encoded(issuer)).with("r", encoded(url))
                    .with("a", encoded(url)).with("image", encoded(url))
                    .with("l", encoded("a=~~??>>")).with("uid", encoded("\u{3ff}j"))
                    .with("pid", encoded("p?>~")))
            #expect(uri.sharedSecret.copied == secret)
            #expect(uri.challenge.copied == secret)
            #expect(uri.issuer == issuer)
            #expect(uri.registrationEndpoint.text == url)
            #expect(uri.authenticationEndpoint.text == url)
            #expect(uri.image?.text == url)
            #expect(uri.cookie == "a=~~??>>")
            #expect(uri.user == "\u{3ff}j")
            #expect(uri.profileID == "p?>~")
        }
    }

    /// Both alphabets in one value.
    private func mixed(_ bytes: [UInt8]) -> String {
        base64(bytes).replacingOccurrences(of: "+", with: "-")
    }

    @Test func `bits that a value doesn't use are no reason to refuse it`() async throws {
        var text = base64url(WorkedExample.secret)
        #expect(text.hasSuffix("4"))
        text = text.dropLast() + "7"
        #expect(
            try parsed(EnrollmentCode().with("s", text)).sharedSecret.copied == WorkedExample.secret
        )
        let harness = try await ForgeRockHarness.enrolled()
        let challenge = base64url(WorkedExample.challenge)
        #expect(challenge.hasSuffix("U"))
        let push = AMPush().with("c", .string(challenge.dropLast() + "X"))
            .with("l", .string(base64url("amlbcookie=3").dropLast() + "z"))
        _ = try await harness.notification(push).accept()
        let posted = try await harness.lastPost()
        #expect(try posted.claims["response"]?.string == Vectors()("auth_response"))
        #expect(try posted.field("Cookie")?.hasPrefix("amlbcookie=") == true)
    }

    @Test func `policies come in either alphabet, too`() throws {
        let text = #"{"~~??>>":{}}"#
        for encoded in [base64(text), base64url(text)] {
            let uri = try parsed(.combined().with("policies", encoded))
            #expect(uri.policies == ["~~??>>": [:]])
        }
    }

    @Test func `the label's issuer need not be the parameter's`() throws {
        let uri = try parsed(EnrollmentCode().with(label: "forgerock:jane.doe@example.com"))
        #expect(uri.issuer == "Example Bank")
        #expect(uri.account == "jane.doe@example.com")
    }

    @Test func `an account may hold colons, slashes and escapes, decoded once`() throws {
        let labels = [
            ("Example%20Bank:a:b@c/d", "a:b@c/d"), ("Example:a%2Fb%3Ac", "a/b:c"),
            ("Example:%2525", "%25"), ("Example:a+b", "a+b"), ("Example:/a//b/", "/a//b/"),
            ("Example:%E6%97%A5", "\u{65e5}"), ("Example:%20a%20", "a"),
        ]
        for (label, account) in labels {
            #expect(try parsed(EnrollmentCode().with(label: label)).account == account)
        }
        let escaped = EnrollmentCode().with("issuer", nil).with(label: "A%3AB:c")
        #expect(try parsed(escaped).issuer == "A")
        #expect(try parsed(escaped).account == "B:c")
    }

    @Test func `a question mark that hides a parameter refuses the code`() throws {
        var code = EnrollmentCode().with(label: "Example:who?me")
        code.parameters.removeAll { $0.name == "m" }
        code.parameters.insert(("m", WorkedExample.registrationID), at: 0)
        // The query begins at the first question mark, so its first key is "me?m".
        let error = try #require(throws: PushError.self) { _ = try EnrollmentURI(code.text) }
        #expect(error.code == .invalidInvitation)
    }

    @Test func `both endpoints are used verbatim`() async throws {
        let base = "https://AM.Example.com:443/am/json/realms/root/realms/a%2fb/push"
        let harness = try ForgeRockHarness()
        try await harness.enroll(
            EnrollmentCode().with("r", base64url(base + "?z&_action=register&y="))
                .with("a", base64url(base + "?_action=authenticate&%7e")).text)
        _ = try await harness.notification(AMPush()).accept()
        try await harness.authenticator.deviceTokenChanged(newToken)
        let urls = try await harness.transport.exchanges.map { try Posted($0).url }
        #expect(
            urls == [
                base + "?z&_action=register&y=", base + "?_action=authenticate&%7e",
                base + "?z&_action=refresh&y=",
            ])
    }

    @Test func `each request has its own cookie`() async throws {
        let harness = try await ForgeRockHarness.enrolled(
            EnrollmentCode().with("l", base64url("amlbcookie=01")))
        let first = try await harness.notification(
            AMPush().with("l", .string(base64("amlbcookie=02"))))
        _ = try await harness.notification(
            AMPush().about(randomBytes()).with("i", "1760000300001"))
        _ = try await first.accept()
        try await harness.authenticator.deviceTokenChanged(newToken)
        let cookies = try await harness.transport.exchanges.map { try Posted($0).field("Cookie") }
        #expect(cookies == ["amlbcookie=01", "amlbcookie=02", "amlbcookie=03"])
    }

    @Test(arguments: ["a=1\r\nX-Evil: 1", "a=1\nb", "a=\u{0}", "a=\u{7f}", "a=\u{85}"])
    func `a cookie with control characters is never sent`(cookie: String) async throws {
        let text = EnrollmentCode().with("l", base64url(cookie)).text
        let uri = try? EnrollmentURI(text)
        #expect(uri?.cookie == nil)
        let harness = try await ForgeRockHarness.enrolled(EnrollmentCode().with("l", nil))
        let push = AMPush().with("l", .string(base64(cookie)))
        if let notification = try? await harness.notification(push) {
            _ = try await notification.accept()
            try await harness.authenticator.deviceTokenChanged(newToken)
        }
        for exchange in await harness.transport.exchanges {
            #expect(try Posted(exchange).field("Cookie") == nil)
        }
    }

    @Test func `the cookie goes in Cookie, never in Set-Cookie`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush()).accept()
        try await harness.authenticator.deviceTokenChanged(newToken)
        for exchange in await harness.transport.exchanges {
            let posted = try Posted(exchange)
            #expect(try posted.field("Cookie") == "amlbcookie=03")
            #expect(try posted.field("Set-Cookie") == nil)
        }
    }

    @Test func `tokens with escaped slashes or another order are as good`() async throws {
        let vectors = try Vectors()
        let escaped = try vectors("reg_jwt_esc").split(separator: ".")
        let plain = try vectors("reg_claims")
        let claims = try JSON(parsing: data(base64url: escaped[1]))
        #expect(try claims == JSON(parsing: plain))
        let signed = "\(escaped[0]).\(escaped[1])"
        #expect(base64url(hmac(WorkedExample.secret, signed.utf8)) == escaped[2])
        // And so is a push, which the plugin must take.
        let body = AMPush().claims.members.reversed().map {
            "\(JSON.string($0.name).text):\($0.value.text)"
        }.joined(separator: " ,\n ").replacingOccurrences(of: "/", with: "\\/")
        let text = "\(base64url(#"{ "alg" : "HS256" }"#)).\(base64url("{ \(body) }"))"
        let token = "\(text).\(base64url(hmac(WorkedExample.secret, text.utf8)))"
        let harness = try await ForgeRockHarness.enrolled()
        let message = try AMPush.message(token)
        let notification = try #require(await harness.handler.notification(from: message))
        #expect(notification.id.name == hex(sha256(WorkedExample.challenge)))
    }

    @Test(arguments: ["", "a", "ab", "abc", "abcd"])
    func `a signature is over the received text, of any length`(kid: String) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let header = #"{"alg":"HS256","kid":"\#(kid)","typ":"JWT"}"#
        #expect(
            try await harness.notification(AMPush().with(header: header)).accept() == .delivered)
    }
}

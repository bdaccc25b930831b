import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// AM's quirks beside those of encodings, cookies and signatures.
extension AMQuirkTests {
    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"HS384"}"#, #"{"alg":"HS512"}"#,
        #"{"alg":"RS256"}"#, #"{"alg":"hs256"}"#, #"{"alg":7}"#, #"{"alg":null}"#, "{}",
    ])
    func `only HS256 is accepted, and what can't be verified is wrong`(header: String)
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        await #expect(throws: PushError.self) {
            _ = try await harness.notification(AMPush().with(header: header))
        }
        #expect(try await harness.records().isEmpty)
    }

    @Test func `before the check nothing is stored, applied or shown`() async throws {
        let harness = try await ForgeRockHarness.enrolled(
            EnrollmentCode().with("uid", nil).with("l", nil))
        var updates = await harness.authenticator.updates().makeAsyncIterator()
        let before = await harness.store.count
        let forged = AMPush().with("d", "mallory").signed(by: randomBytes())
        await #expect(throws: PushError.self) { _ = try await harness.notification(forged) }
        #expect(await harness.store.count == before)
        let notification = try await harness.notification(AMPush().with("d", nil).with("l", nil))
        guard case .received(let reception)? = await updates.next() else {
            Issue.record("A verified push is shown.")
            return
        }
        #expect(reception.challenge == notification.id)
        let failures = try await harness.authenticator.deviceTokenChanged(newToken)
        #expect(failures[harness.enrollmentID]?.code == .unsupported)
    }

    @Test func `a mechanism's name is compared as it is`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let push = AMPush().with("u", .string(WorkedExample.mechanism.lowercased()))
        let error = try await refusal { _ = try await harness.notification(push) }
        #expect(error.code == .unknownEnrollment)
    }

    @Test func `a late push isn't answered: it is shown as late, and may be answered`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        harness.clock.set(WorkedExample.expiry + 600)
        let notification = try await harness.notification(AMPush())
        #expect(notification.isExpired(at: harness.clock.now))
        #expect(try await notification.isPending)
        #expect(try await notification.accept() == .delivered)
    }

    @Test(arguments: [-86_400.0, 86_400])
    func `a wrong clock of the device blocks no answer`(skew: Double) async throws {
        let harness = try await ForgeRockHarness.enrolled(
            at: "Thu, 09 Oct 2025 08:58:21 GMT", by: WorkedExample.issued + skew)
        let notification = try await harness.notification(AMPush())
        #expect(notification.timeAdded == WorkedExample.issued)
        #expect(try await notification.accept() == .delivered)
    }

    @Test func `spaces around numbers are trimmed, and the plain number goes back`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge(" 17, 42 ,x,\t86"))
        #expect(notification.numbersChallengeArray == [17, 42, 86])
        let challenge = try await harness.authenticator.challenge(notification.id)
        #expect(challenge.prompt == .choose(["17", "42", "86"]))
        _ = try await notification.accept(challengeResponse: " 42 ")
        #expect(try await harness.lastPost().claims["challengeResponse"] == "42")
    }

    @Test func `only the ends are trimmed: what holds a space inside is no number`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge("1 7,42, 86 "))
        #expect(notification.numbersChallengeArray == [42, 86])
        let error = try await refusal {
            _ = try await notification.accept(challengeResponse: "4 2")
        }
        #expect(error.code == .invalidResolution)
        #expect(try await harness.posts().isEmpty)
    }

    @Test func `a lost registration is never repeated, a lost answer is`() async throws {
        let harness = try ForgeRockHarness()
        await harness.faults.next(.dropAfter)
        try await harness.enroll(EnrollmentCode().text)
        try await harness.authenticator.resume()
        #expect(await harness.transport.exchanges.count == 1)
        let notification = try await harness.notification(AMPush())
        await harness.faults.next(.dropAfter)
        _ = try await notification.accept()
        try await harness.authenticator.resume()
        let answers = try await harness.posts().filter { $0.url == WorkedExample.authentication }
        #expect(answers.count == 2)
    }

    @Test(arguments: ["", nil, 7, .null] as [JSON?])
    func `an empty user name is none`(value: JSON?) async throws {
        let harness = try await ForgeRockHarness.enrolled(EnrollmentCode().with("uid", nil))
        _ = try await harness.notification(AMPush().with("d", value))
        let failures = try await harness.authenticator.deviceTokenChanged(newToken)
        #expect(failures[harness.enrollmentID]?.code == .unsupported)
        #expect(try await harness.posts().isEmpty)
        _ = try await harness.notification(AMPush().about(randomBytes()).with("d", "jane"))
        try await harness.authenticator.resume()
        #expect(try await harness.lastPost().members["username"] == "jane")
    }

    @Test func `an empty user name in the code is none, too`() throws {
        #expect(try parsed(EnrollmentCode().with("uid", "")).user == nil)
    }

    @Test func `payload and context are text, and unreadable ones do no harm`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(
            AMPush().with("p", "{  }").with("x", "not json {"))
        #expect(notification.customPayload == "{  }")
        #expect(notification.contextInfo == "not json {")
        #expect(notification.content.origin == Challenge.Origin())
        #expect(try await notification.accept() == .delivered)
    }

    @Test func `an unknown type is told to the observer, and can only be denied`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(
            AMPush(.d, kind: "swipe", numbers: "17,42,86"))
        #expect(harness.observer.observations.map(\.kind) == [.noticed])
        let challenge = try await harness.authenticator.challenge(notification.id)
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .unsupported)
        #expect(try await harness.posts().isEmpty)
        #expect(try await notification.deny() == .delivered)
    }

    @Test func `a short secret is accepted, and the observer is told`() async throws {
        let key = randomBytes(16)
        let harness = try await ForgeRockHarness.enrolled(
            EnrollmentCode().with("s", base64url(key)))
        #expect(harness.observer.observations.map(\.kind) == [.noticed])
        #expect(try await harness.notification(AMPush().signed(by: key)).accept() == .delivered)
        let usual = try await ForgeRockHarness.enrolled()
        #expect(usual.observer.observations.isEmpty)
    }

    @Test func `members are named exactly as AM reads them`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(.challenge()).accept(challengeResponse: "42")
        try await harness.authenticator.deviceTokenChanged(newToken)
        let names = try await harness.transport.exchanges.map { exchange in
            let posted = try Posted(exchange)
            return [posted.members, posted.claims].map { Set($0.members.map(\.name)) }
        }
        #expect(
            names == [
                [
                    ["messageId", "jwt"],
                    [
                        "response", "mechanismUid", "deviceId", "deviceName", "deviceType",
                        "communicationType",
                    ],
                ],
                [["messageId", "jwt"], ["response", "challengeResponse"]],
                [
                    ["mechanismUid", "username", "jwt"],
                    [
                        "mechanismUid", "deviceId", "deviceName", "deviceType",
                        "communicationType",
                    ],
                ],
            ])
    }

    @Test func `a time in a message id counts for nothing`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let push = AMPush(.a).with(messageID: "AUTHENTICATE:x1000000000000")
        harness.clock.set(WorkedExample.issued + 3)
        let notification = try await harness.notification(push)
        #expect(notification.timeAdded == WorkedExample.issued + 3)
    }

    @Test func `every request names the API's version`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush()).deny()
        try await harness.authenticator.deviceTokenChanged(newToken)
        #expect(await harness.transport.exchanges.count == 3)
        for exchange in await harness.transport.exchanges {
            #expect(
                try Posted(exchange).field("Accept-API-Version") == "resource=1.0, protocol=1.0")
        }
    }

    @Test func `Apple is exactly apns, and Firebase is gcm`() async throws {
        for (token, name) in [
            (.apns(hex: "AB", isSandbox: false), "apns"),
            (.apns(hex: "AB", isSandbox: true), "apns"), (.fcm("x"), "gcm"),
        ] as [(DeviceToken, String)] {
            let harness = try ForgeRockHarness()
            try await harness.enroll(EnrollmentCode().text, token: token)
            let posted = try Posted(#require(await harness.transport.exchanges.first))
            #expect(posted.claims["communicationType"]?.string == name)
        }
    }

    @Test func `an issuer that is Base64 by accident, but no text, is taken as it is`()
        throws
    {
        // "Bank" decodes to bytes that aren't UTF-8, "AAAA" to control characters.
        for issuer in ["Bank", "AAAA"] {
            #expect(try parsed(EnrollmentCode().with("issuer", issuer)).issuer == issuer)
        }
    }

    @Test func `an unverified push doesn't take the place of the real one`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let forged = AMPush().with("m", "Pay nothing").signed(by: randomBytes())
        await #expect(throws: PushError.self) { _ = try await harness.notification(forged) }
        let notification = try await harness.notification(AMPush())
        #expect(notification.message == "Login attempt from jane at Example Bank")
        await #expect(throws: PushError.self) { _ = try await harness.notification(forged) }
        #expect(
            try await harness.handler.notification(notification.id).message
                == "Login attempt from jane at Example Bank")
    }

    @Test func `an endpoint without TLS is parsed, and the transport may refuse it`()
        async throws
    {
        let url = "http://am.example.com:8080/am/json/push?_action=register"
        let code = EnrollmentCode().with("r", base64url(url)).with("a", base64url(url))
        #expect(try !parsed(code).registrationEndpoint.isSecure)
        let store = InMemoryStore()
        let environment = PushEnvironment(
            transport: TLSOnly(), store: store, verifier: ScriptedVerifier.willing(),
            device: Device(name: WorkedExample.deviceName))
        let provider = ForgeRock(in: environment)
        let authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
        try await authenticator.deviceTokenChanged(.fcm("x"))
        let offer = try #require(
            try authenticator.offers(for: .scanned(text: code.text)).first)
        let error = try await refusal { _ = try await authenticator.enroll(offer) }
        #expect(error.code == .insecureRequest)
        #expect(try await authenticator.enrollments().isEmpty)
    }

    /// A transport as strict as the shipped ones: plain HTTP isn't sent.
    private struct TLSOnly: Transport {
        func send(
            _ request: HTTPRequest, body: Data
        ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
            guard request.scheme == "https" else {
                throw PushError(.insecureRequest, "Plain HTTP.")
            }
            return (HTTPResponse(status: .ok), Data())
        }
    }

    @Test func `no name appears twice, in what is sent and in what is believed`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(.challenge()).accept(challengeResponse: "42")
        try await harness.authenticator.deviceTokenChanged(newToken)
        // The strict reader refuses a name that comes twice.
        for exchange in await harness.transport.exchanges { _ = try Posted(exchange) }
        let claims = JSON.object(AMPush().claims).text.dropLast() + #","k":"biometric"}"#
        let text = "\(base64url(#"{"alg":"HS256"}"#)).\(base64url(String(claims)))"
        let token = "\(text).\(base64url(hmac(WorkedExample.secret, text.utf8)))"
        let error = try await refusal {
            _ = try await harness.authenticator.receive(AMPush.message(token))
        }
        #expect(error.code == .malformed)
    }
}

import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// Registering with AM: step 2 of `docs/vendors/forgerock.md#the-flow`.
@Suite struct RegistrationTests {
    private func registration(of harness: ForgeRockHarness) async throws -> Posted {
        try Posted(#require(await harness.transport.exchanges.first))
    }

    @Test func `the example's registration is what AM expects, byte for byte`() async throws {
        let harness = try ForgeRockHarness()
        let vectors = try Vectors()
        let enrollment = try await harness.enroll(vectors("uri_push"))
        let posted = try await registration(of: harness)
        #expect(await harness.transport.exchanges.count == 1)
        #expect(posted.jwt == (try vectors("reg_jwt")))
        #expect(String(decoding: posted.body, as: UTF8.self) == (try vectors("reg_body")))
        #expect(try JSON.object(posted.claims) == JSON(parsing: vectors("reg_claims")))
        #expect(posted.claims["response"]?.string == (try vectors("reg_response")))
        #expect(enrollment.id == harness.enrollmentID)
        #expect(enrollment.state == .active)
        #expect(enrollment.issuer == "Example Bank")
        #expect(enrollment.account == "jane.doe@example.com")
        #expect(enrollment.host == "am.example.com")
        #expect(enrollment.created == WorkedExample.issued)
        #expect(enrollment.deviceToken == .apns(hex: WorkedExample.token, isSandbox: false))
    }

    @Test func `a combined code registers its push half alone`() async throws {
        let harness = try ForgeRockHarness()
        try await harness.enroll(Vectors()("uri_mfa"))
        let posted = try await registration(of: harness)
        #expect(String(decoding: posted.body, as: UTF8.self) == (try Vectors()("reg_body")))
        #expect(await harness.transport.exchanges.count == 1)
    }

    @Test func `the request has the headers that AM reads, and goes where the code says`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let posted = try await registration(of: harness)
        #expect(posted.request.method == .post)
        #expect(posted.url == WorkedExample.registration)
        #expect(try posted.field("Content-Type") == "application/json")
        #expect(try posted.field("Accept") == "application/json")
        #expect(try posted.field("Accept-API-Version") == "resource=1.0, protocol=1.0")
        #expect(try posted.field("Cookie") == "amlbcookie=03")
        #expect(Set(posted.members.members.map(\.name)) == ["messageId", "jwt"])
    }

    @Test func `without a load-balancer cookie there is no cookie header`() async throws {
        let harness = try await ForgeRockHarness.enrolled(EnrollmentCode().with("l", nil))
        #expect(try await registration(of: harness).field("Cookie") == nil)
    }

    @Test func `the token says who answers, and where pushes go`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let posted = try await registration(of: harness)
        #expect(posted.header == ["typ": "JWT", "alg": "HS256"])
        #expect(
            posted.claims == [
                "response": .string(
                    base64(hmac(WorkedExample.secret, WorkedExample.registrationChallenge))),
                "mechanismUid": .string(WorkedExample.mechanism),
                "deviceId": .string(WorkedExample.token),
                "deviceName": .string(WorkedExample.deviceName), "deviceType": "ios",
                "communicationType": "apns",
            ])
    }

    @Test func `an Android device registers with Firebase's old name`() async throws {
        let harness = try ForgeRockHarness(platform: .android)
        try await harness.enroll(EnrollmentCode().text, token: .fcm("token-of-firebase"))
        let claims = try await registration(of: harness).claims
        #expect(claims["deviceType"] == "android")
        #expect(claims["communicationType"] == "gcm")
        #expect(claims["deviceId"] == "token-of-firebase")
    }

    @Test func `a device of no known family is of the family its push service suggests`()
        async throws
    {
        for (token, type) in [
            (.apns(hex: "AB", isSandbox: false), "ios"), (.fcm("x"), "android"),
        ] as [(DeviceToken, String)] {
            let harness = try ForgeRockHarness(platform: .other)
            try await harness.enroll(EnrollmentCode().text, token: token)
            #expect(try await registration(of: harness).claims["deviceType"]?.string == type)
        }
    }

    @Test func `a token of the development environment is Apple's, too`() async throws {
        let harness = try ForgeRockHarness()
        try await harness.enroll(
            EnrollmentCode().text, token: .apns(hex: WorkedExample.token, isSandbox: true))
        #expect(try await registration(of: harness).claims["communicationType"] == "apns")
    }

    @Test(arguments: [16, 31, 33, 64, 100])
    func `a secret of any length is used as it is`(count: Int) async throws {
        let key = randomBytes(count)
        let harness = try ForgeRockHarness()
        try await harness.enroll(EnrollmentCode().with("s", base64url(key)).text)
        let posted = try Posted(#require(await harness.transport.exchanges.first), key: key)
        #expect(
            posted.claims["response"]?.string
                == base64(hmac(key, WorkedExample.registrationChallenge)))
    }

    @Test(arguments: [301, 302, 307, 400, 401, 403, 404])
    func `a refused registration keeps its status and leaves nothing`(status: Int) async throws {
        let harness = try ForgeRockHarness()
        await harness.server.reply(status)
        let error = try await refusal { try await harness.enroll(EnrollmentCode().text) }
        #expect(error.code == .server(status: status))
        #expect(error.provider == "forgerock")
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(await harness.transport.exchanges.count == 1)
        await #expect(throws: PushError.self) { try await harness.notification(AMPush()) }
    }

    @Test func `a server that isn't reached leaves nothing, and the code still works`()
        async throws
    {
        let harness = try ForgeRockHarness()
        await harness.faults.next(.refuse)
        let error = try await refusal { try await harness.enroll(EnrollmentCode().text) }
        #expect(error.code == .unreachable)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(try await harness.enroll(EnrollmentCode().text).state == .active)
    }

    @Test(arguments: [FaultPlan.Fault.dropBefore, .dropAfter])
    func `a lost reply leaves half an enrollment, which a verified push completes`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = try ForgeRockHarness()
        await harness.faults.next(fault)
        let enrollment = try await harness.enroll(EnrollmentCode().text)
        #expect(enrollment.state == .pending(.unconfirmed))
        #expect(try await harness.authenticator.enrollments().map(\.state) == [enrollment.state])
        let known = await harness.transport.exchanges.count
        let error = try await refusal {
            _ = try await harness.notification(AMPush().signed(by: randomBytes()))
        }
        #expect(error.code == .untrusted)
        #expect(try await harness.authenticator.enrollments().map(\.state) == [enrollment.state])
        _ = try await harness.notification(AMPush())
        #expect(try await harness.authenticator.enrollments().map(\.state) == [.active])
        #expect(await harness.transport.exchanges.count == known)
    }

    @Test(arguments: [408, 499, 500, 501, 502, 503, 504, 524, 599])
    func `a gateway's word isn't AM's, so it leaves half an enrollment, too`(status: Int)
        async throws
    {
        let harness = try ForgeRockHarness()
        await harness.server.reply(status)
        let enrollment = try await harness.enroll(EnrollmentCode().text)
        #expect(enrollment.state == .pending(.unconfirmed))
        _ = try await harness.notification(AMPush())
        #expect(try await harness.authenticator.enrollments().map(\.state) == [.active])
    }

    @Test func `an enrollment that can't be recorded isn't sent`() async throws {
        let harness = try ForgeRockHarness()
        try await harness.authenticator.deviceTokenChanged(.fcm("x"))
        await harness.store.refuseWrites { _ in PushError(.storage, "Full.") }
        let error = try await refusal {
            try await harness.enroll(EnrollmentCode().text, token: nil)
        }
        #expect(error.code == .storage)
        #expect(await harness.transport.exchanges.isEmpty)
    }

    @Test func `a store that is full by the reply leaves it pending, and a push confirms it`()
        async throws
    {
        let harness = try ForgeRockHarness()
        let store = harness.store
        await harness.server.whileWorking {
            await store.refuseWrites { _ in PushError(.storage, "Full.") }
        }
        let error = try await refusal { try await harness.enroll(EnrollmentCode().text) }
        #expect(error.code == .storage)
        #expect(error.reason.hasPrefix("Full. AM has registered this device"), "\(error.reason)")
        await store.refuseWrites(nil)
        #expect(
            try await harness.authenticator.enrollments().map(\.state) == [.pending(.unconfirmed)])
        _ = try await harness.notification(AMPush())
        #expect(try await harness.authenticator.enrollments().map(\.state) == [.active])
    }

    @Test func `after a lost reply a new code for the same account can be used`() async throws {
        let harness = try ForgeRockHarness()
        await harness.faults.next(.dropBefore)
        try await harness.enroll(EnrollmentCode().text)
        let again = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        let code = EnrollmentCode().with("m", "REGISTER:new").with("s", base64url(randomBytes()))
        #expect(try await again.enroll(code.text).state == .active)
    }

    // The account is that of the same two names: `docs/vendors/forgerock.md#who-may-say-what`.
    @Test func `an account is enrolled once`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let again = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        let code = EnrollmentCode().with("m", "REGISTER:new").with("s", base64url(randomBytes()))
        let error = try await refusal { try await again.enroll(code.text) }
        #expect(error.code == .alreadyEnrolled)
        #expect(await again.transport.exchanges.isEmpty)
        #expect(try await harness.authenticator.enrollments().map(\.id) == [harness.enrollmentID])
        _ = try await harness.notification(AMPush())
    }

    @Test(arguments: [
        EnrollmentCode().with(label: "Example%20Bank:john@example.com"),
        EnrollmentCode().with("issuer", base64url("Another Bank")),
    ])
    func `another account, or another issuer's, is enrolled beside it`(
        code: EnrollmentCode
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let again = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        try await again.enroll(code.text)
        #expect(try await harness.authenticator.enrollments().count == 2)
    }

    @Test func `without a device token nothing is sent`() async throws {
        let harness = try ForgeRockHarness()
        let error = try await refusal {
            try await harness.enroll(EnrollmentCode().text, token: nil)
        }
        #expect(error.code == .missingDeviceToken)
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    // MARK: The offer

    @Test func `an offer says what it would join, and sends nothing`() async throws {
        let harness = try ForgeRockHarness()
        let offer = try #require(
            try harness.authenticator.offers(for: .scanned(text: EnrollmentCode().text)).first)
        #expect(offer.provider == "forgerock")
        #expect(offer.issuer == "Example Bank")
        #expect(offer.account == "jane.doe@example.com")
        #expect(offer.host == "am.example.com:8443")
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(await harness.store.count == 0)
    }

    @Test(arguments: ["otpauth://push/x?secret=AAAA", "https://am.example.com/", "123456"])
    func `another vendor's invitation gets no offer`(text: String) throws {
        let harness = try ForgeRockHarness()
        #expect(try harness.authenticator.offers(for: .scanned(text: text)).isEmpty)
        #expect(try harness.authenticator.offers(for: .typed(text: text)).isEmpty)
    }

    @Test func `a user name and password get no offer`() throws {
        let offers = try ForgeRockHarness().authenticator.offers(
            for: .credentials(user: "jane", password: Secret(Array("x".utf8))))
        #expect(offers.isEmpty)
    }

    @Test func `a wrong code is refused before anything is asked`() throws {
        let text = EnrollmentCode().with("c", nil).text
        let error = try #require(throws: PushError.self) {
            _ = try ForgeRockHarness().authenticator.offers(for: .scanned(text: text))
        }
        #expect(error.code == .invalidInvitation)
        #expect(error.provider == "forgerock")
    }

    // MARK: Ending it

    // AM has no call that ends an enrollment.
    @Test func `removing an enrollment forgets its key and its challenges, and sends nothing`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush())
        try await harness.authenticator.remove(harness.enrollmentID)
        #expect(try await harness.records().isEmpty)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(await harness.transport.exchanges.count == 1)
        let error = try await refusal { _ = try await harness.notification(AMPush()) }
        #expect(error.code == .unknownEnrollment)
    }
}

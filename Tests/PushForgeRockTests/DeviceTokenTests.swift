import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// Telling AM a new device token: `docs/vendors/forgerock.md#what-each-reply-means`.
@Suite struct DeviceTokenTests {
    private let token = DeviceToken.apns(hex: WorkedExample.newToken, isSandbox: false)

    private func acknowledged(_ harness: ForgeRockHarness) async throws -> DeviceToken? {
        try await harness.authenticator.enrollment(harness.enrollmentID)?.deviceToken
    }

    @Test func `the example's refresh is what AM expects, byte for byte`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        #expect(try await harness.authenticator.deviceTokenChanged(token).isEmpty)
        let posted = try await harness.lastPost()
        let vectors = try Vectors()
        #expect(posted.url == WorkedExample.refresh)
        #expect(posted.jwt == (try vectors("ref_jwt")))
        #expect(try JSON.object(posted.claims) == JSON(parsing: vectors("ref_claims")))
        #expect(try JSON.object(posted.members) == JSON(parsing: vectors("ref_body")))
        #expect(try await acknowledged(harness) == token)
    }

    @Test func `the request has the headers of every other`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        try await harness.authenticator.deviceTokenChanged(token)
        let posted = try await harness.lastPost()
        #expect(posted.request.method == .post)
        #expect(try posted.field("Content-Type") == "application/json")
        #expect(try posted.field("Accept") == "application/json")
        #expect(try posted.field("Accept-API-Version") == "resource=1.0, protocol=1.0")
        #expect(try posted.field("Set-Cookie") == nil)
    }

    @Test func `the action alone is replaced, and every other part of the URL kept`()
        async throws
    {
        let url = "https://am.example.com/am/json/push?x=1&_action=register&y=%20register"
        let harness = try ForgeRockHarness()
        try await harness.enroll(EnrollmentCode().with("r", base64url(url)).text)
        try await harness.authenticator.deviceTokenChanged(token)
        let last = try Posted(#require(await harness.transport.exchanges.last))
        #expect(
            last.url == "https://am.example.com/am/json/push?x=1&_action=refresh&y=%20register")
    }

    @Test(arguments: [
        ("?my_action=register&_action=register", "?my_action=register&_action=refresh"),
        ("?x=_action=register&_action=register", "?x=_action=register&_action=refresh"),
        ("?_action=register", "?_action=refresh"),
    ])
    func `only the query item of the action is replaced`(query: String, refresh: String)
        async throws
    {
        let base = "https://am.example.com/_action=register/push"
        let harness = try ForgeRockHarness()
        try await harness.enroll(EnrollmentCode().with("r", base64url(base + query)).text)
        try await harness.authenticator.deviceTokenChanged(token)
        let last = try Posted(#require(await harness.transport.exchanges.last))
        #expect(last.url == base + refresh)
    }

    @Test func `a token that AM has isn't told again`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let known = DeviceToken.apns(hex: WorkedExample.token, isSandbox: false)
        #expect(try await harness.authenticator.deviceTokenChanged(known).isEmpty)
        try await harness.authenticator.resume()
        #expect(try await harness.posts().isEmpty)
    }

    @Test func `another service's token names that service`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let id = harness.enrollmentID
        try await harness.authenticator.deviceTokenChanged(.fcm("of-firebase"), for: id)
        let claims = try await harness.lastPost().claims
        #expect(claims["deviceId"] == "of-firebase")
        #expect(claims["communicationType"] == "gcm")
    }

    @Test func `where the device has tokens of both services, AM has Apple's`() async throws {
        let harness = try ForgeRockHarness()
        try await harness.enroll(EnrollmentCode().text, token: .fcm("of-firebase"))
        let claims = try Posted(#require(await harness.transport.exchanges.first)).claims
        #expect(claims["communicationType"] == "gcm")
        #expect(try await harness.authenticator.deviceTokenChanged(token).isEmpty)
        #expect(try await harness.lastPost().claims["deviceId"]?.string == WorkedExample.newToken)
        #expect(try await harness.authenticator.deviceTokenChanged(.fcm("newer")).isEmpty)
        #expect(try await harness.posts().count == 1)
        #expect(try await acknowledged(harness) == token)
    }

    // MARK: The user name

    @Test func `without AM's user name nothing is sent, until a push tells it`() async throws {
        let harness = try await ForgeRockHarness.enrolled(EnrollmentCode().with("uid", nil))
        let failures = try await harness.authenticator.deviceTokenChanged(token)
        #expect(failures[harness.enrollmentID]?.code == .unsupported)
        #expect(try await harness.posts().isEmpty)
        #expect(try await acknowledged(harness) != token)
        _ = try await harness.notification(AMPush(.c))
        try await harness.authenticator.resume()
        #expect(try await harness.lastPost().members["username"] == "jane")
        #expect(try await acknowledged(harness) == token)
    }

    @Test func `the code's user name stands, whatever a push says`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(
            AMPush().with("d", "janet").with("l", .string(base64("amlbcookie=09"))))
        try await harness.authenticator.deviceTokenChanged(token)
        #expect(try await harness.lastPost().members["username"] == "jane")
    }

    @Test(arguments: ["?register", "", "?_action=registered", "?_action=x", "?a_action=register"])
    func `a registration without the usual action can't be refreshed`(query: String)
        async throws
    {
        let url = "https://am.example.com/am/json/push\(query)"
        let harness = try ForgeRockHarness()
        try await harness.enroll(EnrollmentCode().with("r", base64url(url)).text)
        let failures = try await harness.authenticator.deviceTokenChanged(token)
        #expect(failures[harness.enrollmentID]?.code == .unsupported)
        #expect(await harness.transport.exchanges.count == 1)
    }

    // MARK: The cookie: the last that was seen

    @Test func `a refresh carries the code's cookie until a push brings another`() async throws {
        let harness = try await ForgeRockHarness.enrolled(
            EnrollmentCode().with("l", base64url("amlbcookie=01")))
        try await harness.authenticator.deviceTokenChanged(token)
        #expect(try await harness.lastPost().field("Cookie") == "amlbcookie=01")
        _ = try await harness.notification(AMPush())
        try await harness.authenticator.deviceTokenChanged(.apns(hex: "AB", isSandbox: false))
        #expect(try await harness.lastPost().field("Cookie") == "amlbcookie=03")
        _ = try await harness.notification(AMPush().about(randomBytes()).with("l", nil))
        try await harness.authenticator.deviceTokenChanged(token)
        #expect(try await harness.lastPost().field("Cookie") == "amlbcookie=03")
    }

    // MARK: Failures

    @Test(arguments: [400, 404, 500, 501])
    func `a refused token is reported with its status, and told again later`(status: Int)
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        await harness.server.reply(status)
        let failures = try await harness.authenticator.deviceTokenChanged(token)
        #expect(failures.keys.map(\.self) == [harness.enrollmentID])
        #expect(failures[harness.enrollmentID]?.code == .server(status: status))
        #expect(
            try await acknowledged(harness) == .apns(hex: WorkedExample.token, isSandbox: false))
        try await harness.authenticator.resume()
        #expect(try await acknowledged(harness) == token)
        #expect(try await harness.posts().count == 2)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropBefore, .dropAfter])
    func `a token that a broken connection swallowed is told again`(fault: FaultPlan.Fault)
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        await harness.faults.next(fault)
        #expect(try await harness.authenticator.deviceTokenChanged(token).count == 1)
        try await harness.authenticator.resume()
        #expect(try await acknowledged(harness) == token)
    }

    @Test func `AM has no call that takes a token away`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let failures = try await harness.authenticator.deviceTokenRemoved(of: .apns)
        #expect(failures[harness.enrollmentID]?.code == .unsupported)
        #expect(try await harness.posts().isEmpty)
        #expect(harness.provider.capabilities.contains(.tokenUpdate))
        #expect(!harness.provider.capabilities.contains(.tokenRemoval))
    }

    @Test func `every enrollment is told, and one's failure is its own`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let key = randomBytes()
        let mechanism = UUID().uuidString
        let other = try ForgeRockHarness(mechanism: mechanism, sharing: harness)
        try await other.enroll(EnrollmentCode().with(label: "x:y").with("s", base64url(key)).text)
        await harness.faults.next(.status(500))
        let failures = try await harness.authenticator.deviceTokenChanged(token)
        #expect(failures.count == 1)
        #expect(try await harness.authenticator.resume().isEmpty)
        let told = try await harness.transport.exchanges.dropFirst().map { exchange in
            try JSON(parsing: exchange.body)["mechanismUid"]?.string
        }
        #expect(Set(told) == [WorkedExample.mechanism, mechanism])
        for exchange in await harness.transport.exchanges.dropFirst() {
            let mine = try JSON(parsing: exchange.body)["mechanismUid"]?.string == mechanism
            _ = try Posted(exchange, key: mine ? key : WorkedExample.secret)
        }
    }
}

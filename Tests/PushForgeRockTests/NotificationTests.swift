import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// What the app gets to show: `docs/vendors/forgerock.md#what-the-user-sees`.
@Suite struct NotificationTests {
    private func example(in harness: ForgeRockHarness) async throws -> PushNotification {
        let message = try AMPush.message(Vectors()("push_jwt"))
        return try #require(await harness.handler.notification(from: message))
    }

    @Test func `each part of the example has its documented name`() async throws {
        let notification = try await example(in: ForgeRockHarness.enrolled())
        #expect(notification.pushType == .challenge)
        #expect(notification.message == "Login attempt from jane at Example Bank")
        #expect(notification.messageText == notification.message)
        #expect(notification.numbersChallenge == "17,42,86")
        #expect(notification.numbersChallengeArray == [17, 42, 86])
        #expect(notification.customPayload == #"{ "txn": "4711" }"#)
        #expect(notification.timeAdded == WorkedExample.issued)
        #expect(notification.timeExpired == WorkedExample.expiry)
        #expect(notification.content.ttl == 120)
        #expect(!notification.isExpired(at: WorkedExample.expiry))
        #expect(notification.isExpired(at: WorkedExample.expiry + 0.001))
        #expect(notification.content.additionalData.isEmpty)
        let context = try JSON(parsing: #require(notification.contextInfo))
        #expect(context["location"]?["latitude"]?.double == 51.5)
        #expect(context["location"]?["longitude"]?.double == -0.12)
        #expect(context["remoteIp"] == "203.0.113.7")
        #expect(context["userAgent"] == "Mozilla/5.0 (X11; Linux x86_64)")
        let origin = notification.content.origin
        #expect(origin.address == "203.0.113.7")
        #expect(origin.agent == "Mozilla/5.0 (X11; Linux x86_64)")
        #expect(origin.place?.latitude == 51.5)
        #expect(origin.place?.longitude == -0.12)
    }

    @Test func `the uniform door shows the same`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await example(in: harness)
        let record = try #require(await harness.records().first)
        #expect(record.notice.body == "Login attempt from jane at Example Bank")
        #expect(record.notice.issued == WorkedExample.issued)
        #expect(record.notice.expiry == WorkedExample.expiry)
        #expect(record.notice.proof == .mac)
        #expect(record.state == .open)
        let challenge = try await harness.authenticator.challenge(notification.id)
        #expect(challenge.prompt == .choose(["17", "42", "86"]))
        #expect(challenge.origin.address == "203.0.113.7")
        #expect(challenge.expiry == WorkedExample.expiry)
        #expect(challenge.verification.isEmpty)
        #expect(challenge.details(as: NotificationContent.self) == notification.content)
    }

    @Test func `each type has its prompt, and only biometry asks for a check`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        func challenge(_ push: AMPush) async throws -> Challenge {
            let notification = try await harness.notification(push.about(randomBytes()))
            return try await harness.authenticator.challenge(notification.id)
        }
        let plain = try await challenge(AMPush())
        #expect(plain.prompt == .approve)
        #expect(plain.verification.isEmpty)
        let biometric = try await challenge(.biometric)
        #expect(biometric.prompt == .approve)
        #expect(biometric.verification.first == [.biometry])
        #expect(try await challenge(.challenge("90,11,55")).prompt == .choose(["90", "11", "55"]))
        let unknown = try await challenge(AMPush(.d, kind: "swipe"))
        guard case .denyOnly = unknown.prompt else {
            Issue.record("An unknown type may not be approved.")
            return
        }
    }

    @Test(arguments: [nil, "", ",", "x,y", " , "] as [String?])
    func `a challenge without numbers asks the user to enter one`(numbers: String?) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge(numbers))
        #expect(notification.numbersChallengeArray == [])
        let challenge = try await harness.authenticator.challenge(notification.id)
        #expect(challenge.prompt == .enter(digits: 2))
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
        #expect(try await harness.lastPost().claims["challengeResponse"] == "42")
    }

    @Test func `text that can fool the eye is made safe, and kept as it came beside`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let text = "Pay\u{202E}live\u{0}"
        let notification = try await harness.notification(AMPush().with("m", .string(text)))
        #expect(notification.message == text)
        #expect(try await harness.records().first?.notice.body == "Paylive")
    }

    @Test(arguments: [
        "", "x", "[]", "{}", #"{"location":null,"remoteIp":null,"userAgent":null}"#,
        #"{"location":{"latitude":null}}"#, #"{"location":{"latitude":91,"longitude":0}}"#,
        #"{"location":7,"remoteIp":7,"userAgent":7,"platform":{"x":1}}"#,
    ])
    func `a context that says nothing readable gives no origin`(context: String) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush().with("x", .string(context)))
        #expect(notification.contextInfo == context)
        #expect(notification.content.origin == Challenge.Origin())
    }

    @Test func `each part of the context may come alone`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let context = #"{"location":{"latitude":-33.9,"longitude":151},"platform":"x"}"#
        let notification = try await harness.notification(AMPush().with("x", .string(context)))
        #expect(notification.content.origin.place == .init(latitude: -33.9, longitude: 151))
        #expect(notification.content.origin.address == nil)
    }

    // MARK: Identity: only what is signed counts

    @Test func `a challenge is named by the SHA-256 of what is signed`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        let name = hex(sha256(WorkedExample.challenge))
        #expect(notification.id == Challenge.ID(name, of: harness.enrollmentID))
    }

    @Test func `the same challenge under another message id is not a second one`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let first = try await harness.authenticator.receive(AMPush().message())
        let other = AMPush().with(messageID: "AUTHENTICATE:other1760000300001")
        let second = try await harness.authenticator.receive(other.message())
        #expect(first.map(\.isNew) == [true])
        #expect(second.map(\.isNew) == [false])
        #expect(first.map(\.challenge) == second.map(\.challenge))
        #expect(try await harness.records().count == 1)
    }

    @Test func `the challenge's own spelling doesn't make it another`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush())
        for text in [base64url(WorkedExample.challenge), base64(WorkedExample.challenge)] {
            _ = try await harness.notification(AMPush().with("c", .string(text)).with("z", 1))
        }
        #expect(try await harness.records().count == 1)
    }

    @Test func `two challenges under one message id are two`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush())
        _ = try await harness.notification(AMPush().about(randomBytes()))
        #expect(try await harness.records().count == 2)
    }

    @Test func `a push that comes again gives the same notification, answered or not`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let first = try await harness.notification(AMPush())
        #expect(try await harness.notification(AMPush()).id == first.id)
        _ = try await first.accept()
        let again = try await harness.notification(AMPush())
        #expect(again.id == first.id)
        #expect(again.content == first.content)
        #expect(try await again.isApproved)
        #expect(try await harness.posts().count == 1)
    }

    @Test func `a notification survives the process`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let id = try await example(in: harness).id
        let later = try ForgeRockHarness(sharing: harness)
        let notification = try await later.handler.notification(id)
        #expect(notification.numbersChallengeArray == [17, 42, 86])
        #expect(notification.contextInfo != nil)
        #expect(notification.timeAdded == WorkedExample.issued)
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
        let posted = try await later.lastPost()
        #expect(String(decoding: posted.body, as: UTF8.self) == (try Vectors()("number_body")))
        #expect(try posted.field("Cookie") == "amlbcookie=03")
    }

    @Test(arguments: [20, 31, 32])
    func `a push that is taken can be opened and answered, however deep its claims are`(
        depth: Int
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        // The claims are one level themselves.
        let nested = (1..<depth).reduce(JSON.null) { value, _ in [value] }
        let message = try AMPush().with("extra", nested).message()
        do throws(PushError) {
            guard let notification = try await harness.handler.notification(from: message) else {
                Issue.record("It has the vendor's form.")
                return
            }
            #expect(try await notification.accept() == .delivered)
        } catch {
            #expect(error.code == .malformed)
            #expect(try await harness.records().isEmpty)
        }
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// How a push is packed, and what its claims mean: `docs/vendors/forgerock.md#what-the-user-sees`.
@Suite struct PushPayloadTests {
    private func content(_ push: AMPush) async throws -> NotificationContent {
        let harness = try await ForgeRockHarness.enrolled()
        return try await harness.notification(push).content
    }

    // MARK: Packing

    @Test func `the APNs dictionary, its inner part, and Firebase's forms say the same`()
        async throws
    {
        let vectors = try Vectors()
        let apns = try JSON(parsing: vectors.data("push_apns"))
        let fcm = try JSON(parsing: vectors.data("push_fcm"))
        let token = try vectors("push_jwt")
        let messages = [
            try PushMessage(json: apns.data), try PushMessage(json: #require(apns["aps"]).data),
            try PushMessage(json: fcm.data), try PushMessage(json: #require(fcm["data"]).data),
            PushMessage(fcm: ["messageId": WorkedExample.messageID, "message": token]),
            PushMessage(fcm: ["messageId": WorkedExample.messageID, "data": token]),
        ]
        for message in messages {
            let harness = try await ForgeRockHarness.enrolled()
            #expect(harness.provider.candidate(in: message) != nil)
            let notification = try #require(await harness.handler.notification(from: message))
            #expect(notification.numbersChallengeArray == [17, 42, 86])
            _ = try await notification.accept(challengeResponse: "42")
            let body = try await harness.lastPost().body
            #expect(String(decoding: body, as: UTF8.self) == (try vectors("number_body")))
        }
    }

    @Test func `aps wins over the top level, and message over data`() async throws {
        let good = AMPush().token
        let bad = AMPush().signed(by: randomBytes()).token
        let messages: [JSON] = [
            [
                "messageId": "outer", "message": .string(bad),
                "aps": ["messageId": .string(WorkedExample.messageID), "data": .string(good)],
            ],
            [
                "messageId": .string(WorkedExample.messageID), "message": .string(good),
                "data": .string(bad),
            ],
            [
                "aps": [
                    "messageId": .string(WorkedExample.messageID), "message": .string(good),
                    "data": .string(bad),
                ]
            ],
        ]
        for message in messages {
            let harness = try await ForgeRockHarness.enrolled()
            let notification = try #require(
                await harness.handler.notification(from: PushMessage(json: message.data)))
            _ = try await notification.accept()
            #expect(
                try await harness.lastPost().members["messageId"]?.string == WorkedExample.messageID
            )
        }
    }

    @Test(arguments: [
        "{}", #"{"aps":{}}"#, #"{"aps":{"alert":"Hello"}}"#,
        #"{"aps":{"messageId":"A:1"}}"#, #"{"aps":{"data":"a.b.c"}}"#,
        #"{"aps":{"messageId":"","data":"a.b.c"}}"#, #"{"aps":{"messageId":"A:1","data":""}}"#,
        #"{"aps":{"messageId":1,"data":"a.b.c"}}"#, #"{"aps":{"messageId":"A:1","data":7}}"#,
        #"{"aps":{"messageId":"A:1","data":null}}"#, #"{"messageId":"A:1","message":["a.b.c"]}"#,
        #"{"message":"a.b.c"}"#, #"{"data":{"messageId":"A:1"}}"#, #"{"aps":"x"}"#,
    ])
    func `what lacks the pair of texts is the app's own`(json: String) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let message = try PushMessage(json: Data(json.utf8))
        #expect(harness.provider.candidate(in: message) == nil)
        #expect(try await harness.handler.notification(from: message) == nil)
        #expect(try await harness.authenticator.receive(message).isEmpty)
        #expect(harness.observer.observations.isEmpty)
    }

    @Test func `a text that was scanned or linked is no push`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        for text in [AMPush().token, EnrollmentCode().text] {
            #expect(harness.provider.candidate(in: PushMessage(text: text, by: .scanned)) == nil)
            #expect(harness.provider.candidate(in: PushMessage(text: text, by: .link)) == nil)
        }
    }

    @Test(arguments: ["AUTHENTICATE:x", "5f0c1e-1760000300001", "a:b:c", "\u{e9}/\"\\"])
    func `a message id is opaque, and goes back unchanged`(id: String) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(AMPush().with(messageID: id)).accept()
        #expect(try await harness.lastPost().members["messageId"]?.string == id)
    }

    // MARK: The claims

    @Test(arguments: AMPush.Generation.allCases)
    func `each generation's push is read`(generation: AMPush.Generation) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush(generation))
        #expect(notification.pushType == .default)
        #expect(notification.timeAdded == WorkedExample.issued)
        #expect(notification.timeExpired == WorkedExample.expiry)
        #expect(notification.numbersChallenge == nil)
        let isOld = [.a, .module].contains(generation)
        #expect((notification.message == nil) == isOld)
        #expect((notification.customPayload == nil) == isOld)
        #expect(try await notification.accept() == .delivered)
    }

    @Test func `the smallest push of the old servers has the defaults`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        harness.clock.set(WorkedExample.issued + 7)
        let notification = try #require(
            await harness.handler.notification(
                from: AMPush.message(Vectors()("min_jwt"))))
        #expect(notification.pushType == .default)
        #expect(notification.content.ttl == 120)
        #expect(notification.timeAdded == WorkedExample.issued + 7)
        #expect(notification.message == nil)
        #expect(notification.contextInfo == nil)
        #expect(notification.content.additionalData.isEmpty)
    }

    @Test func `c and u are required`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        for push in [
            AMPush().with("c", nil), AMPush().with("u", nil), AMPush().with("c", 7),
            AMPush().with("c", "*"), AMPush().with("u", 7), AMPush().with("c", ""),
        ] {
            let error = try await refusal { _ = try await harness.notification(push) }
            #expect(error.code == .malformed)
        }
        #expect(try await harness.records().isEmpty)
    }

    @Test(arguments: [("90", 90), ("0.5", 0.5), ("1e2", 100)] as [(String, Double)])
    func `a time to live is seconds, fractions allowed`(text: String, seconds: Double)
        async throws
    {
        #expect(try await content(AMPush().with("t", .string(text))).ttl == seconds)
        #expect(try await content(AMPush().with("t", JSON(parsing: text))).ttl == seconds)
    }

    @Test func `times beyond all calendars are no trouble`() async throws {
        for (ttl, time) in [("1e308", "1e308"), ("1e-300", "-1e308"), ("1", "0")] {
            let harness = try await ForgeRockHarness.enrolled()
            let push = AMPush().with("t", .string(ttl)).with("i", .string(time))
            #expect(try await harness.notification(push).accept() == .delivered)
            #expect(try await harness.records().count == 1)
        }
    }

    @Test func `an absent time to live is two minutes`() async throws {
        #expect(try await content(AMPush().with("t", nil)).ttl == 120)
    }

    @Test(arguments: [
        "", "abc", "0", "-1", "-0", "nan", "inf", "infinity", "-inf", "1e999", "12s", "0x10",
    ])
    func `a time to live that is no positive number is refused`(text: String) async throws {
        let error = try await refusal { _ = try await content(AMPush().with("t", .string(text))) }
        #expect(error.code == .malformed)
    }

    @Test(arguments: [.null, true, [], [:], 0, -5] as [JSON])
    func `a time to live of another kind is refused`(value: JSON) async throws {
        let error = try await refusal { _ = try await content(AMPush().with("t", value)) }
        #expect(error.code == .malformed)
    }

    @Test func `a time of the server is milliseconds, as text or number`() async throws {
        let expected = Date(timeIntervalSince1970: 1_760_000_299.5)
        for value in ["1760000299500", 1_760_000_299_500] as [JSON] {
            #expect(try await content(AMPush().with("i", value)).timeAdded == expected)
        }
    }

    @Test(arguments: [nil, "abc", "", .null, [:]] as [JSON?])
    func `without a readable time of the server, arrival counts`(value: JSON?) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        harness.clock.set(WorkedExample.issued + 31)
        let notification = try await harness.notification(AMPush().with("i", value))
        #expect(notification.timeAdded == WorkedExample.issued + 31)
    }

    @Test func `the load-balancer cookie is optional, and dropped if it can't be decoded`()
        async throws
    {
        for value in [nil, "*", 7, ""] as [JSON?] {
            let harness = try await ForgeRockHarness.enrolled()
            _ = try await harness.notification(AMPush().with("l", value)).accept()
            #expect(try await harness.lastPost().field("Cookie") == nil)
        }
    }

    @Test(arguments: ["default", "Default", "challenge", "CHALLENGE", "biometric", "BioMetric"])
    func `a type is read in any case`(kind: String) async throws {
        let push = AMPush(.d, kind: kind)
        #expect(
            try await content(push).pushType
                == PushNotification.PushType(rawValue: kind.lowercased()))
    }

    @Test(arguments: ["swipe", "", "default ", "CHALLENGE2"])
    func `an unknown type can be shown and denied, never approved`(kind: String) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(
            AMPush(.d, kind: kind, numbers: "17,42,86"))
        #expect(notification.pushType == nil)
        #expect(notification.message == "Login attempt from jane at Example Bank")
        #expect(notification.numbersChallenge == nil)
        #expect(notification.numbersChallengeArray == nil)
        #expect(harness.observer.observations.map(\.kind) == [.noticed])
        let challenge = try await harness.authenticator.challenge(notification.id)
        for resolution in [.approve, .choose("42"), .enter("42")] as [Resolution] {
            await #expect(throws: PushError.self) {
                _ = try await harness.authenticator.resolve(challenge, with: resolution)
            }
        }
        for accept in [
            { try await notification.accept() },
            { try await notification.accept(challengeResponse: "42") },
            { try await notification.accept(title: "Unlock", allowDeviceCredentials: true) },
        ] as [() async throws -> Outcome] {
            await #expect(throws: PushError.self) { _ = try await accept() }
        }
        #expect(try await harness.posts().isEmpty)
        #expect(try await notification.deny() == .delivered)
        #expect(try await harness.lastPost().claims["deny"] == true)
    }

    @Test(arguments: [7, true, .null, ["default"]] as [JSON])
    func `a type that is no text is never approved`(value: JSON) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let push = AMPush().with("k", value)
        guard let notification = try? await harness.notification(push) else {
            #expect(try await harness.records().isEmpty)
            return
        }
        await #expect(throws: PushError.self) { _ = try await notification.accept() }
        #expect(try await harness.posts().isEmpty)
    }

    @Test func `an absent type is default`() async throws {
        #expect(try await content(AMPush().with("k", nil)).pushType == .default)
    }

    @Test(arguments: ["default", "biometric"])
    func `numbers count only for a challenge`(kind: String) async throws {
        let content = try await content(AMPush(.d, kind: kind, numbers: "17,42,86"))
        #expect(content.numbersChallenge == nil)
        #expect(content.numbersChallengeArray.isEmpty)
    }

    @Test func `payload and context may be objects, and become text`() async throws {
        let content = try await content(
            AMPush().with("p", ["txn": "4711"]).with("x", ["remoteIp": "203.0.113.7"]))
        let payload = try #require(content.customPayload)
        #expect(try JSON(parsing: payload) == ["txn": "4711"])
        #expect(content.origin.address == "203.0.113.7")
    }

    @Test func `claims that nobody knows are kept, and AM's own names are not`() async throws {
        let content = try await content(
            AMPush().with("e", "phone").with("z", ["deep": 1]).with("exp", 1))
        #expect(content.additionalData == ["z": ["deep": 1], "exp": 1])
    }

    @Test func `a long message and many claims are no trouble`() async throws {
        let text = String(repeating: "x", count: 3000)
        let content = try await content(AMPush().with("p", .string(text)).with("m", .string(text)))
        #expect(content.customPayload == text)
        #expect(content.message == text)
    }
}

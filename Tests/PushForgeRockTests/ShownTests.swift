import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// The user approves what is shown: nothing that AM adds for people is left out and approved.
@Suite struct ShownTests {
    private func challenge(_ push: AMPush) async throws -> (ForgeRockHarness, Challenge) {
        let harness = try await ForgeRockHarness.enrolled()
        let id = try await harness.notification(push).id
        return (harness, try await harness.authenticator.challenge(id))
    }

    private func expectDenyOnly(
        _ push: AMPush, because words: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let (harness, challenge) = try await challenge(push)
        guard case .denyOnly(let why) = challenge.prompt else {
            Issue.record("What isn't shown can't be approved.", sourceLocation: sourceLocation)
            return
        }
        #expect(why.contains(words), sourceLocation: sourceLocation)
        await #expect(throws: PushError.self, sourceLocation: sourceLocation) {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        // Past the core, too.
        let announcement = try await harness.event(of: push.message())?.announcement
        await #expect(throws: PushError.self, sourceLocation: sourceLocation) {
            _ = try await harness.answer(
                to: Decision(
                    #require(announcement), .approve, challenge: challenge, evidence: [],
                    extras: nil))
        }
        #expect(try await harness.posts().isEmpty, sourceLocation: sourceLocation)
        let denied = try await harness.authenticator.deny(challenge.id)
        #expect(denied == .delivered, sourceLocation: sourceLocation)
    }

    // MARK: Shown

    @Test func `each member of the custom payload is shown, in AM's order`() async throws {
        let payload = #"{"txn":"4711","amount":{"value":12.5,"currency":"EUR"},"urgent":true}"#
        let (_, challenge) = try await challenge(AMPush().with("p", .string(payload)))
        #expect(
            challenge.fields == [
                .init("txn", "4711"), .init("amount", #"{"value":12.5,"currency":"EUR"}"#),
                .init("urgent", "true"),
            ])
        #expect(challenge.prompt == .approve)
    }

    @Test func `what the context has beside the origin is shown`() async throws {
        let context =
            #"{"remoteIp":"203.0.113.7","platform":"x","location":null,"userAgent":{"name":"y"}}"#
        let (_, challenge) = try await challenge(AMPush().with("x", .string(context)))
        #expect(challenge.origin.address == "203.0.113.7")
        #expect(challenge.origin.agent == nil)
        #expect(
            challenge.fields == [.init("platform", "x"), .init("userAgent", #"{"name":"y"}"#)])
        #expect(challenge.prompt == .approve)
    }

    @Test func `a part of the origin that can't be read, or is too long for it, is shown whole`()
        async throws
    {
        let agent = String(repeating: "Mozilla ", count: 40)
        let context: JSON = [
            "location": ["latitude": 91, "longitude": 0], "remoteIp": 7,
            "userAgent": .string(agent),
        ]
        let (_, challenge) = try await challenge(AMPush().with("x", .string(context.text)))
        #expect(
            challenge.fields == [
                .init("location", #"{"latitude":91,"longitude":0}"#), .init("remoteIp", "7"),
                .init("userAgent", agent),
            ])
    }

    @Test func `what a location has beside its two numbers is shown`() async throws {
        let location = #"{"latitude":51.5,"longitude":-0.1,"city":"Minsk"}"#
        let context = #"{"location":\#(location)}"#
        let (_, challenge) = try await challenge(AMPush().with("x", .string(context)))
        #expect(challenge.fields == [.init("location", location)])
        #expect(challenge.origin.place == .init(latitude: 51.5, longitude: -0.1))
        #expect(challenge.prompt == .approve)
        let plain = #"{"location":{"latitude":51.5,"longitude":-0.1}}"#
        #expect(try await self.challenge(AMPush().with("x", .string(plain))).1.fields.isEmpty)
    }

    @Test func `each part of the documented context is on the screen, place included`() async throws
    {
        let context = #"""
            {"location":{"latitude":51.5,"longitude":-0.12},"remoteIp":"203.0.113.7",
            "userAgent":"Mozilla/5.0 (X11; Linux x86_64)"}
            """#
        let push = AMPush().with("x", .string(context)).with("m", "Log in to the bank?")
        let (_, challenge) = try await challenge(push)
        #expect(
            challenge.shown == [
                .init("", "Log in to the bank?"), .init("IP address", "203.0.113.7"),
                .init("User agent", "Mozilla/5.0 (X11; Linux x86_64)"),
                .init("Place", "51.5, -0.12"),
            ])
    }

    @Test func `line breaks and tabs may be written in another way`() async throws {
        let text = "Pay\r\n100\tEUR\rto\nJane"
        let payload: JSON = ["note": .string(text)]
        let (_, challenge) = try await challenge(
            AMPush().with("m", .string(text)).with("p", .string(payload.text)))
        #expect(challenge.prompt == .approve)
        #expect(challenge.fields.map(\.value) == ["Pay\n100 EUR\nto\nJane"])
    }

    @Test func `a payload or context that is no object is shown as it came`() async throws {
        let (_, challenge) = try await challenge(
            AMPush().with("p", "pay 100").with("x", "not json {"))
        #expect(
            challenge.fields == [
                .init("customPayload", "pay 100"), .init("contextInfo", "not json {"),
            ])
        let (_, other) = try await self.challenge(AMPush().with("p", [1, 2]).with("x", 7))
        #expect(other.fields == [.init("customPayload", "[1,2]"), .init("contextInfo", "7")])
    }

    @Test(arguments: [nil, .null, "", " ", "{}", "{  }", #"{"a":null}"#] as [JSON?])
    func `nothing is shown for nothing`(value: JSON?) async throws {
        let (_, challenge) = try await challenge(AMPush().with("p", value).with("x", value))
        #expect(challenge.fields.isEmpty)
        #expect(challenge.prompt == .approve)
    }

    // MARK: Not shown, and so not approved

    @Test(arguments: [7, true, ["pay"], ["text": "pay"]] as [JSON])
    func `a text that is none can't be approved`(text: JSON) async throws {
        try await expectDenyOnly(AMPush().with("m", text), because: "claim m")
    }

    @Test func `a text that is cut can't be approved`() async throws {
        let whole = String(repeating: "x", count: 2048)
        #expect(try await challenge(AMPush().with("m", .string(whole))).1.prompt == .approve)
        try await expectDenyOnly(AMPush().with("m", .string(whole + "y")), because: "claim m")
    }

    private static let altered = [
        "Pay 10\u{202E}001", "Pay\u{200B}100", "Pay 1\u{7}00", "\u{FEFF}Pay", "Pay\u{E0041}",
        "Pay 100\u{2066}", "Pay e" + String(repeating: "\u{301}", count: 9),
    ]

    @Test(arguments: altered)
    func `a text that isn't shown as it is can't be approved`(text: String) async throws {
        try await expectDenyOnly(AMPush().with("m", .string(text)), because: "claim m")
        let members: [JSON] = [["amount": .string(text)], .object([text: "100"])]
        for member in members {
            try await expectDenyOnly(
                AMPush().with("p", .string(member.text)), because: "shown whole")
        }
        for name in ["remoteIp", "userAgent", "platform"] {
            let context = JSON.object([name: .string(text)])
            try await expectDenyOnly(
                AMPush().with("x", .string(context.text)), because: "shown whole")
        }
    }

    @Test func `more numbers than anybody can choose from can't be approved`() async throws {
        func numbers(_ count: Int) -> String {
            (1...count).map(String.init).joined(separator: ",")
        }
        let most = try await challenge(.challenge(numbers(32))).1
        #expect(most.prompt == .choose((1...32).map(String.init)))
        try await expectDenyOnly(.challenge(numbers(33)), because: "too many")
    }

    @Test func `more members than can be shown can't be approved`() async throws {
        func payload(_ count: Int) -> JSON {
            .string(JSON.object(.init((0..<count).map { ("a\($0)", .bool(true)) })).text)
        }
        let most = try await challenge(AMPush().with("p", payload(32))).1
        #expect(most.fields.count == 32)
        #expect(most.prompt == .approve)
        try await expectDenyOnly(AMPush().with("p", payload(33)), because: "more members")
    }

    @Test(arguments: ["", " ", "\u{200B}", String(repeating: "a", count: 65)])
    func `a member without a name that can be shown can't be approved`(name: String) async throws {
        let payload = JSON.object([name: "100"]).text
        try await expectDenyOnly(AMPush().with("p", .string(payload)), because: "shown whole")
    }

    @Test func `a member that is cut can't be approved`() async throws {
        let payload: JSON = ["amount": .string(String(repeating: "0", count: 2049))]
        try await expectDenyOnly(AMPush().with("p", .string(payload.text)), because: "shown whole")
    }

    @Test(arguments: ["17,x,86", "17,4.2,86", "17,-4"])
    func `an option that is no number is left out, and the observer is told`(numbers: String)
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(.challenge(numbers))
        #expect(harness.observer.observations.map(\.kind) == [.noticed])
    }

    @Test func `options that are no text leave the user to enter the number`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge().with("n", [17, 42, 86]))
        #expect(harness.observer.observations.map(\.kind) == [.noticed])
        let challenge = try await harness.authenticator.challenge(notification.id)
        #expect(challenge.prompt == .enter(digits: 2))
    }
}

extension PushEvent {
    fileprivate var announcement: Announcement? {
        if case .notice(let announcement) = self { announcement } else { nil }
    }
}

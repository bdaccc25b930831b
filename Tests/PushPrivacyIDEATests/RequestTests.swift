import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Each request of the examples, byte for byte: signatures of this kind have no chance in them.
@Suite struct RequestTests {
    private static let plain = "standard"
    private static let numbers = "number"

    /// A request of the examples, the challenge that it answers, and the user's choice.
    struct Answer: Sendable, CustomTestStringConvertible {
        let name: String
        let push: String
        let resolution: Resolution

        var testDescription: String { name }
    }

    private static let answers = [
        Answer(name: "accept", push: plain, resolution: .approve),
        Answer(
            name: "decline, no capability", push: "standard of a server before 3.14",
            resolution: .deny(.unexpected)),
        Answer(name: "decline, not me", push: plain, resolution: .deny(.unexpected)),
        Answer(name: "decline, me but no", push: plain, resolution: .deny(.ignore)),
        Answer(name: "choose 07", push: numbers, resolution: .choose("07")),
    ]

    @Test(
        arguments: [
            ("enroll, poll only", nil), ("enroll, with FCM", Sample.token),
        ] as [(String, DeviceToken?)])
    func `enrolling sends the request of the examples`(
        name: String, token: DeviceToken?
    ) async throws {
        let harness = try await ScriptedHarness()
        if let token { _ = try await harness.authenticator.deviceTokenChanged(token) }
        let enrollment = try await harness.enroll()
        #expect(enrollment.id == harness.id && enrollment.deviceToken == token)
        let exchange = try #require(await harness.transport.exchanges.first)
        #expect(exchange.request.path == "/ttype/push")
        #expect(exchange.request.authority == "pi.example.com")
        #expect(
            exchange.request.headerFields[.contentType] == "application/x-www-form-urlencoded")
        #expect(await harness.sent(.enroll) == [try harness.vectors.request(name)["body"]?.string])
    }

    @Test func `a poll sends the request of the examples`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        _ = try await harness.authenticator.pending(for: harness.id)
        let expected = try harness.vectors.request("poll")
        #expect(await harness.sent(.poll) == [expected["query"]?.string])
        let exchange = try #require(await harness.transport.exchanges.last)
        #expect(exchange.request.method == .get && exchange.body.isEmpty)
    }

    @Test func `a query of the server's own is kept`() async throws {
        let harness = try await ScriptedHarness.enrolled(
            EnrollmentCode(["url": "https%3A//pi.example.com/ttype/push%3Ftenant%3Da"]))
        _ = try await harness.authenticator.pending(for: harness.id)
        let query = try harness.vectors.request("poll")["query"]?.string ?? ""
        #expect(await harness.sent(.poll) == ["tenant=a&\(query)"])
    }

    @Test func `a changed device token, and none, are told as in the examples`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        _ = try await harness.authenticator.deviceTokenChanged(.fcm("dA2:APA91b_z-Q"))
        _ = try await harness.authenticator.deviceTokenRemoved(of: .fcm)
        let names = ["update of the device token", "removal of the device token"]
        #expect(
            try await harness.sent(.token)
                == names.map { try harness.vectors.request($0)["body"]?.string })
    }

    @Test(arguments: answers)
    func `an answer sends the request of the examples`(answer: Answer) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge(harness.vectors.push(answer.push).data)
        let outcome = try await harness.authenticator.resolve(challenge, with: answer.resolution)
        #expect(outcome == .delivered)
        let expected = try harness.vectors.request(answer.name)["body"]?.string
        #expect(await harness.sent(.answer) == [expected])
        #expect(await harness.transport.exchanges.last?.request.path == "/ttype/push")
    }

    @Test func `a percent sign of an option survives the server's second decoding`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge {
            $0.nonce = "R6LB57KU7NIDDUFV2ABQR26DMN7W3CWV"
            $0.presence = "50%20,50 "
        }
        _ = try await harness.authenticator.resolve(challenge, with: .choose("50%20"))
        let name = "choose an option with a percent sequence"
        #expect(await harness.sent(.answer) == [try harness.vectors.request(name)["body"]?.string])
    }

    @Test func `an answer goes to the challenge's own URL, as it was signed`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let name = "another path at the same origin; the URL is signed as written"
        let challenge = try await harness.challenge(harness.vectors.push(name).data)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let request = try #require(await harness.transport.exchanges.last).request
        #expect(request.authority == "pi.example.com:443")
        #expect(request.path == "/other/ttype/push?x=%7E")
    }

    @Test(
        arguments: [
            (.unexpected, "unknown_trigger"), (.fraud, "unknown_trigger"), (.ignore, "cancelled"),
            (.custom("cancelled"), nil),
        ] as [(DenyReason, String?)])
    func `a no has the vendor's word for its reason, where the server signed that it knows it`(
        reason: DenyReason, word: String?
    ) async throws {
        for (capabilities, isKnown) in [
            (#"{"decline_reason": true}"#, true), (#"{"decline_reason": false}"#, false),
            ("{}", false), (nil, false),
        ] {
            let harness = try await ScriptedHarness.enrolled()
            let challenge = try await harness.challenge { $0.capabilities = capabilities }
            _ = try await harness.authenticator.resolve(challenge, with: .deny(reason))
            let form = try await harness.lastForm(.answer)
            let sent = isKnown ? word : nil
            #expect(form["decline"] == "1" && form["decline_reason"] == sent)
            let parts = [challenge.id.name, "PIPU0001ABCD", "decline"] + (sent.map { [$0] } ?? [])
            let key = try harness.vectors.key("device")
            #expect(key.verifies(form["signature"] ?? "", over: parts.joined(separator: "|")))
        }
    }

    @Test func `requests name the app and its languages as it wants`() async throws {
        let harness = try await ScriptedHarness.enrolled {
            $0.userAgent = "Acme/2"
            $0.languages = "de, en;q=0.5"
        }
        _ = try await harness.authenticator.pending(for: harness.id)
        for exchange in await harness.transport.exchanges {
            #expect(exchange.request.headerFields[.userAgent] == "Acme/2")
            #expect(exchange.request.headerFields[.acceptLanguage] == "de, en;q=0.5")
            #expect(exchange.request.headerFields[.accept] == "application/json")
        }
    }
}

import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// Answering: step 4 of `docs/vendors/forgerock.md#the-flow`.
@Suite struct AnswerTests {
    private func expectExample(_ name: String, _ posted: Posted) throws {
        let vectors = try Vectors()
        #expect(posted.jwt == (try vectors("\(name)_jwt")))
        #expect(String(decoding: posted.body, as: UTF8.self) == (try vectors("\(name)_body")))
        #expect(try JSON.object(posted.claims) == JSON(parsing: vectors("\(name)_claims")))
        #expect(posted.claims["response"]?.string == (try vectors("auth_response")))
    }

    // MARK: The claims

    @Test func `a chosen number is answered as the example says, byte for byte`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
        try expectExample("number", await harness.lastPost())
    }

    @Test func `a plain yes is answered as the example says, byte for byte`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        #expect(try await harness.notification(AMPush()).accept() == .delivered)
        try expectExample("accept", await harness.lastPost())
    }

    @Test func `a biometric yes is the plain yes`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.biometric)
        let outcome = try await notification.accept(title: "Unlock", allowDeviceCredentials: true)
        #expect(outcome == .delivered)
        try expectExample("accept", await harness.lastPost())
    }

    @Test(arguments: [AMPush(), .challenge(), .biometric, AMPush(.a), AMPush(.module)])
    func `a no is answered as the example says, whatever the type`(push: AMPush) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        #expect(try await harness.notification(push).deny() == .delivered)
        try expectExample("deny", await harness.lastPost())
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test(arguments: [DenyReason.unexpected, .fraud, .ignore, .custom("I am asleep")])
    func `AM knows no reasons, so every no is the same`(reason: DenyReason) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let id = try await harness.notification(.challenge()).id
        #expect(try await harness.authenticator.deny(id, reason) == .delivered)
        try expectExample("deny", await harness.lastPost())
    }

    @Test func `a denial as fraud raises the alarm, and no other denial does`() async throws {
        for (reason, isAlarm) in [
            (.fraud, true), (.unexpected, false), (.ignore, false), (.custom("x"), false),
        ] as [(DenyReason, Bool)] {
            let harness = try await ForgeRockHarness.enrolled()
            let id = try await harness.notification(AMPush()).id
            _ = try await harness.authenticator.deny(id, reason)
            let next = try await harness.authenticator.receive(
                AMPush().about(randomBytes()).message())
            #expect((next.first?.burst != nil) == isAlarm)
        }
    }

    @Test func `a secret and challenge of any bytes are answered alike`() async throws {
        for count in [1, 16, 32, 64] {
            let key = randomBytes()
            let challenge = randomBytes(count)
            let harness = try await ForgeRockHarness.enrolled(
                EnrollmentCode().with("s", base64url(key)))
            let push = AMPush().about(challenge).signed(by: key)
            _ = try await harness.notification(push).accept()
            let posted = try await harness.lastPost(key: key)
            #expect(posted.claims == ["response": .string(base64(hmac(key, challenge)))])
        }
    }

    // MARK: The request

    @Test func `an answer goes where the code said, with the push's own cookie`() async throws {
        let harness = try await ForgeRockHarness.enrolled(
            EnrollmentCode().with("l", base64url("amlbcookie=01")))
        _ = try await harness.notification(AMPush()).accept()
        let posted = try await harness.lastPost()
        #expect(posted.request.method == .post)
        #expect(posted.url == WorkedExample.authentication)
        #expect(try posted.field("Content-Type") == "application/json")
        #expect(try posted.field("Accept") == "application/json")
        #expect(try posted.field("Accept-API-Version") == "resource=1.0, protocol=1.0")
        #expect(try posted.field("Cookie") == "amlbcookie=03")
        #expect(Set(posted.members.members.map(\.name)) == ["messageId", "jwt"])
    }

    // MARK: Which number may be sent

    @Test(arguments: ["42", " 42 ", "42\n"])
    func `a number is sent trimmed`(text: String) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(.challenge()).accept(challengeResponse: text)
        #expect(try await harness.lastPost().claims["challengeResponse"] == "42")
    }

    @Test(arguments: ["", " ", "43", "+42", "042", "42.0", "0x2A", "forty-two", "٤٢", "17,42"])
    func `what isn't one of the numbers is never sent`(text: String) async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        let error = try await refusal {
            _ = try await notification.accept(challengeResponse: text)
        }
        #expect(error.code == .invalidResolution)
        #expect(try await harness.posts().isEmpty)
        #expect(try await notification.isPending)
    }

    @Test(arguments: ["", "+4", "-4", "4.", "x", "١٢", "00", "07"])
    func `what isn't a plain number is never sent as one that was entered`(text: String)
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge(nil))
        _ = try? await notification.accept(challengeResponse: text)
        for posted in try await harness.posts() {
            let sent = try #require(posted.claims["challengeResponse"]?.string)
            #expect(Int(sent).map(String.init) == sent)
        }
    }

    @Test func `a number that AM couldn't read is never sent`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge("17,99999999999"))
        let error = try await refusal {
            _ = try await notification.accept(challengeResponse: "99999999999")
        }
        #expect(error.code == .invalidResolution)
        #expect(try await harness.posts().isEmpty)
        #expect(try await notification.isPending)
    }

    @Test func `a number that is listed twice can't be chosen`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge("17,17,42"))
        await #expect(throws: PushError.self) {
            _ = try await notification.accept(challengeResponse: "42")
        }
        #expect(try await notification.deny() == .delivered)
    }

    // MARK: Biometry

    @Test func `a biometric yes asks the user first, with the app's words`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.biometric)
        _ = try await notification.accept(title: "Unlock", allowDeviceCredentials: false)
        let request = try #require(await harness.verifier.requests.first)
        #expect(request.title == "Unlock")
        #expect(request.alternatives == [[.biometry]])
        guard case .answer(let challenge, .approve) = request.purpose else {
            Issue.record("The verifier must know what is answered.")
            return
        }
        #expect(challenge.id == notification.id)
    }

    @Test func `the device's credential may stand for biometry where the app allows it`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.biometric)
        _ = try await notification.accept(title: "Unlock", allowDeviceCredentials: true)
        let request = try #require(await harness.verifier.requests.first)
        #expect(request.alternatives == [[.biometry], [.deviceCredential]])
    }

    @Test func `without the user nothing is sent, and the push stays pending`() async throws {
        let harness = try await ForgeRockHarness.enrolled(verifier: .absent())
        let notification = try await harness.notification(.biometric)
        let error = try await refusal {
            _ = try await notification.accept(title: "Unlock", allowDeviceCredentials: true)
        }
        #expect(error.code == .cancelled)
        #expect(try await harness.posts().isEmpty)
        #expect(try await notification.isPending)
        #expect(try await notification.deny() == .delivered)
    }

    @Test func `a presence alone is no biometry`() async throws {
        let harness = try await ForgeRockHarness.enrolled(
            verifier: ScriptedVerifier { _ in [.presence] })
        let notification = try await harness.notification(.biometric)
        let error = try await refusal {
            _ = try await notification.accept(title: "Unlock", allowDeviceCredentials: true)
        }
        #expect(error.code == .verificationFailed)
        #expect(try await harness.posts().isEmpty)
    }

    // MARK: The ledger

    @Test func `a double tap is sent once, and both get the outcome`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        async let first = notification.accept()
        async let second = notification.accept()
        #expect(try await [first, second] == [.delivered, .delivered])
        #expect(try await notification.accept() == .delivered)
        #expect(try await harness.posts().count == 1)
    }

    @Test func `a no after a yes is refused, and the yes stands`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(.challenge())
        _ = try await notification.accept(challengeResponse: "42")
        let error = try await refusal { _ = try await notification.deny() }
        #expect(error.code == .decidedOtherwise(.choose("42")))
        let other = try await refusal {
            _ = try await notification.accept(challengeResponse: "17")
        }
        #expect(other.code == .decidedOtherwise(.choose("42")))
        #expect(try await harness.posts().count == 1)
        #expect(try await notification.isApproved)
    }

    @Test func `a yes after a no is refused, and the no stands`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(AMPush())
        _ = try await notification.deny()
        let error = try await refusal { _ = try await notification.accept() }
        #expect(error.code == .decidedOtherwise(.deny(.unexpected)))
        #expect(try await harness.posts().count == 1)
        #expect(try await notification.isDenied)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// What a device and privacyIDEA 3.14 told each other: our requests are the recorded ones, byte for byte
/// where nothing but the challenge decides them, and the recorded replies mean what they did.
@Suite struct RecordingTests {
    private static let serial = "PIPU0000976B"

    private var id: Enrollment.ID {
        Enrollment.ID("\(Self.serial)@https://pi.example.com", of: "privacyidea")
    }

    private func reply(_ name: String, in harness: ScriptedHarness) throws -> ScriptedReply {
        let exchange = try harness.vectors.recorded(name)
        let status = Int(try #require(exchange["status"]?.integer))
        return ScriptedReply(status: status, body: try #require(exchange["reply"]).text)
    }

    /// A device that was enrolled by the recorded exchange.
    private func enrolled() async throws -> ScriptedHarness {
        let harness = try await ScriptedHarness()
        let request = try #require(try harness.vectors.recorded("enroll")["body"]?.string)
        let form = try #require(FormText(request))
        await harness.server.reply(to: .enroll, try reply("enroll", in: harness))
        _ = try await harness.authenticator.deviceTokenChanged(.fcm(form["fbtoken"] ?? ""))
        let enrollment = try await harness.enroll(
            EnrollmentCode([
                "serial": Self.serial,
                "enrollment_credential": form["enrollment_credential"],
            ]))
        #expect(enrollment.id == id)
        #expect(await harness.sent(.enroll) == [request])
        return harness
    }

    private func challenge(_ name: String, at harness: ScriptedHarness) async throws -> Challenge {
        try await harness.challenge(try #require(harness.vectors.recorded(name)["push"]))
    }

    @Test(
        arguments: [
            ("a login: the push, as sent to FCM", "accept", .approve, .delivered),
            ("a login that asks for a number", "right number", .choose("78"), .delivered),
            (
                "a login that wants a code back: nothing in the push says so",
                "accept: the reply has a code", .approve,
                .code("62", message: "Enter the code to log in")
            ),
        ] as [(String, String, Resolution, Outcome)])
    func `a yes is the recorded one`(
        push: String, name: String, resolution: Resolution, outcome: Outcome
    ) async throws {
        let harness = try await enrolled()
        let challenge = try await challenge(push, at: harness)
        await harness.server.reply(to: .answer, try reply(name, in: harness))
        #expect(try await harness.authenticator.resolve(challenge, with: resolution) == outcome)
        #expect(
            await harness.sent(.answer) == [try harness.vectors.recorded(name)["body"]?.string])
    }

    @Test func `both noes are the recorded ones`() async throws {
        let vectors = try Vectors()
        for (name, reason) in [
            ("decline, not me", DenyReason.unexpected), ("decline, me but no", .ignore),
        ] {
            let harness = try await enrolled()
            let body = try #require(vectors.recorded(name)["body"]?.string)
            let nonce = try #require(FormText(body)?["nonce"])
            let push = try #require(
                vectors["recording", "exchanges"]?.array?
                    .compactMap { $0["push"] }.first { $0["nonce"]?.string == nonce })
            let challenge = try await harness.challenge(push)
            await harness.server.reply(to: .answer, try reply(name, in: harness))
            #expect(
                try await harness.authenticator.resolve(challenge, with: .deny(reason))
                    == .delivered)
            #expect(await harness.sent(.answer) == [body])
        }
    }

    @Test func `a wrong number leaves the challenge open, the right one is taken`() async throws {
        let harness = try await enrolled()
        let challenge = try await challenge("a login that asks for a number", at: harness)
        await harness.server.reply(
            to: .answer, try reply("wrong number", in: harness),
            try reply("right number", in: harness))
        await harness.server.reply(to: .poll, try reply("poll: it still waits", in: harness))
        let wrong = try await harness.authenticator.resolve(challenge, with: .choose("25"))
        #expect(
            wrong
                == .notTaken(
                    .init(
                        .wrongChoice, mayRetry: true, attemptsLeft: 2,
                        status: 200)))
        #expect(
            try await harness.authenticator.resolve(challenge, with: .choose("78")) == .delivered)
        let sent = await harness.sent(.answer)
        #expect(sent.first == (try harness.vectors.recorded("wrong number")["body"]?.string))
        #expect(sent.last == (try harness.vectors.recorded("right number")["body"]?.string))
    }

    @Test func `push and list have the same bytes, and are one challenge`() async throws {
        let harness = try await enrolled()
        let challenge = try await challenge("a login: the push, as sent to FCM", at: harness)
        await harness.server.reply(
            to: .poll, try reply("poll, one waits: the same bytes as the push", in: harness))
        let found = try await harness.authenticator.pending(for: id)
        #expect(found.map(\.challenge) == [challenge.id])
        #expect(found.map(\.isNew) == [false])
    }

    @Test(arguments: [
        ("poll, not allowed", 403), ("poll, clock 70 s slow, errors hidden", 400),
        ("poll, forged", 400), ("poll for a deleted token", 400),
    ])
    func `a recorded refusal of a poll keeps the token`(name: String, status: Int) async throws {
        let harness = try await enrolled()
        await harness.server.reply(to: .poll, try reply(name, in: harness))
        let error = try await refusal { _ = try await harness.authenticator.pending(for: id) }
        #expect(error.code == (status == 403 ? .listRefused : .server(status: status)))
        #expect(try await harness.authenticator.enrollment(id)?.state == .active)
    }

    @Test func `an answer for a deleted token says so`() async throws {
        let harness = try await enrolled()
        let name = "a login, then the administrator deletes the token"
        let challenge = try await challenge(name, at: harness)
        await harness.server.reply(
            to: .answer, try reply("answer for a deleted token", in: harness))
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        #expect(
            try await harness.authenticator.enrollment(id)?.state == .needsReenrollment)
    }

    @Test(
        arguments: [
            ("enroll: wrong credential", .invalidInvitation),
            ("enroll again, the same bytes (as after a lost reply)", .invitationSpent),
        ] as [(String, PushError.Code)])
    func `a recorded refusal of a code says whether it's wrong or spent`(
        name: String, code: PushError.Code
    ) async throws {
        let harness = try await ScriptedHarness()
        await harness.server.reply(to: .enroll, try reply(name, in: harness))
        #expect(try await refusal { try await harness.enroll() }.code == code)
    }

    @Test(arguments: ["update of the device token", "update, clock 310 s slow"])
    func `a recorded reply to a device token is understood`(name: String) async throws {
        let harness = try await enrolled()
        let answer = try reply(name, in: harness)
        await harness.server.reply(to: .token, answer)
        let failures = try await harness.authenticator.deviceTokenChanged(.fcm("another"))
        #expect(failures.isEmpty == (answer.status == 200))
    }
}

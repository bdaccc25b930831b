import Crypto
import Foundation
import HTTPTypes
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// Nothing is believed before the signature holds.
@Suite struct VerificationTests {
    /// Expects a refusal that leaves no trace but the observer's count.
    private func expectRefused(
        _ message: PushMessage, as code: PushError.Code, in harness: ForgeRockHarness,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let before = try await harness.store.names(in: "enrollment").count
        let error = try await refusal { _ = try await harness.authenticator.receive(message) }
        #expect(error.code == code, sourceLocation: sourceLocation)
        #expect(error.provider == "forgerock", sourceLocation: sourceLocation)
        #expect(try await harness.records().isEmpty, sourceLocation: sourceLocation)
        #expect(
            try await harness.store.names(in: "enrollment").count == before,
            sourceLocation: sourceLocation)
        #expect(
            harness.observer.observations.map(\.kind) == [.refused(code)],
            sourceLocation: sourceLocation)
        #expect(try await harness.posts().isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        ("neg_tampered", PushError.Code.untrusted), ("neg_hs384", .untrusted),
        ("neg_none", .malformed), ("neg_wrongkey", .untrusted),
    ])
    func `the examples that must be refused are`(name: String, code: PushError.Code) async throws {
        let message = try AMPush.message(Vectors()(name))
        try await expectRefused(message, as: code, in: ForgeRockHarness.enrolled())
    }

    @Test(arguments: [
        "a", "a.b", "a.b.c.d", "..", "a..c", ".b.c", "a.b.", "a.b.c\n", " ",
    ])
    func `what hasn't three parts is refused`(token: String) async throws {
        try await expectRefused(
            AMPush.message(token), as: .malformed, in: ForgeRockHarness.enrolled())
    }

    @Test func `a real token with a part more or less is refused`() async throws {
        let token = AMPush().token
        let parts = token.split(separator: ".")
        for text in ["\(parts[0]).\(parts[1])", "\(token).", "\(token).x", ".\(token)"] {
            try await expectRefused(
                AMPush.message(text), as: .malformed, in: ForgeRockHarness.enrolled())
        }
    }

    @Test(arguments: ["[]", "7", #""x""#, "{", "", #"{"u":"x","u":"y"}"#])
    func `a payload that is no JSON object is refused`(payload: String) async throws {
        let signed = "\(base64url(#"{"typ":"JWT","alg":"HS256"}"#)).\(base64url(payload))"
        let token = "\(signed).\(base64url(hmac(WorkedExample.secret, signed.utf8)))"
        try await expectRefused(
            AMPush.message(token), as: .malformed, in: ForgeRockHarness.enrolled())
    }

    @Test(arguments: ["[]", "x", "{", #""HS256""#])
    func `a header that is no JSON object is refused`(header: String) async throws {
        let message = try AMPush().with(header: header).message()
        try await expectRefused(message, as: .malformed, in: ForgeRockHarness.enrolled())
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"hs256"}"#, #"{"alg":"HS384"}"#,
        #"{"alg":"HS512"}"#, #"{"alg":"RS256"}"#, #"{"alg":"HS256 "}"#,
    ])
    func `any algorithm but HS256 is refused, even if the MAC fits`(header: String) async throws {
        let message = try AMPush().with(header: header).message()
        try await expectRefused(message, as: .untrusted, in: ForgeRockHarness.enrolled())
    }

    @Test(arguments: ["{}", #"{"typ":"JWT"}"#, #"{"alg":""}"#, #"{"alg":7}"#, #"{"alg":null}"#])
    func `a header that names no algorithm is refused`(header: String) async throws {
        let message = try AMPush().with(header: header).message()
        try await expectRefused(message, as: .malformed, in: ForgeRockHarness.enrolled())
    }

    @Test func `a correct MAC of another hash is refused`() async throws {
        let signed = AMPush().with(header: #"{"alg":"HS512"}"#).token.split(separator: ".")
            .prefix(2).joined(separator: ".")
        let code = HMAC<SHA512>.authenticationCode(
            for: Data(signed.utf8), using: SymmetricKey(data: WorkedExample.secret))
        let message = try AMPush.message("\(signed).\(base64url(code))")
        try await expectRefused(message, as: .untrusted, in: ForgeRockHarness.enrolled())
    }

    @Test func `every bit of a token counts`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let token = AMPush().token
        let parts = token.split(separator: ".").map(String.init)
        for part in 0..<3 {
            var bytes = try #require(decoded(base64url: parts[part]))
            bytes[bytes.count / 2] ^= 1
            var changed = parts
            changed[part] = base64url(bytes)
            await #expect(throws: PushError.self) {
                _ = try await harness.authenticator.receive(
                    AMPush.message(changed.joined(separator: ".")))
            }
        }
        #expect(try await harness.records().isEmpty)
    }

    @Test func `a cut or lengthened signature is refused`() async throws {
        let token = AMPush().token
        let signature = hmac(
            WorkedExample.secret,
            token.split(separator: ".").prefix(2)
                .joined(separator: ".").utf8)
        let signed = token.split(separator: ".").prefix(2).joined(separator: ".")
        for wrong in [
            Array(signature.dropLast()), Array(signature.prefix(16)), Array(signature.prefix(1)),
            signature + [0], signature + signature,
        ] {
            let message = try AMPush.message("\(signed).\(base64url(wrong))")
            try await expectRefused(message, as: .untrusted, in: ForgeRockHarness.enrolled())
        }
    }

    @Test func `a push for an unknown mechanism is refused and nothing is stored`() async throws {
        let push = AMPush().with("u", .string(UUID().uuidString))
        try await expectRefused(
            push.message(), as: .unknownEnrollment, in: ForgeRockHarness.enrolled())
        try await expectRefused(AMPush().message(), as: .unknownEnrollment, in: ForgeRockHarness())
    }

    @Test func `a push of another enrollment's key is refused`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let other = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        let key = randomBytes()
        try await other.enroll(
            EnrollmentCode().with(label: "x:y").with("s", base64url(key)).text)
        try await expectRefused(AMPush().signed(by: key).message(), as: .untrusted, in: harness)
    }

    @Test func `a signature is taken in either alphabet, padded or not`() async throws {
        let signed = AMPush().token.split(separator: ".").prefix(2).joined(separator: ".")
        let signature = hmac(WorkedExample.secret, signed.utf8)
        for text in [base64url(signature), base64url(signature) + "=", base64(signature)] {
            let harness = try await ForgeRockHarness.enrolled()
            let message = try AMPush.message("\(signed).\(text)")
            #expect(try await harness.authenticator.receive(message).count == 1)
        }
    }

    @Test func `a payload is taken in either alphabet, padded or not`() async throws {
        // Texts whose encodings hold "-" and "_", and need padding.
        let payload = JSON.object(AMPush().with("m", "??>>\u{ff}\u{3ff}~~?").claims).text
        for body in [base64url(payload), base64(payload)] {
            let harness = try await ForgeRockHarness.enrolled()
            let signed = "\(base64url(#"{"alg":"HS256"}"#)).\(body)"
            let token = "\(signed).\(base64url(hmac(WorkedExample.secret, signed.utf8)))"
            #expect(try await harness.authenticator.receive(AMPush.message(token)).count == 1)
        }
    }

    @Test func `lateness is no reason to refuse, and is told`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        harness.clock.set(WorkedExample.expiry + 3600)
        let notification = try await harness.notification(AMPush())
        #expect(notification.isExpired(at: harness.clock.now))
        #expect(try await notification.isPending)
    }

    @Test func `a refusal prints nothing of the message`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let push = AMPush().with("m", "hunter2").with("u", "hunter2")
        let error = try await refusal { _ = try await harness.notification(push) }
        #expect(!"\(error)\(error.reason)".contains("hunter2"))
        #expect(!"\(harness.observer.observations)".contains("hunter2"))
    }

    // MARK: What a refused push must not do

    @Test func `a forged push neither names the user nor moves the cookie`() async throws {
        let harness = try await ForgeRockHarness.enrolled(EnrollmentCode().with("uid", nil))
        let forged = AMPush().with("d", "mallory").with("l", .string(base64("amlbcookie=66")))
            .signed(by: randomBytes())
        await #expect(throws: PushError.self) { _ = try await harness.notification(forged) }
        let failures = try await harness.authenticator.deviceTokenChanged(
            .apns(hex: WorkedExample.newToken, isSandbox: false))
        #expect(failures.count == 1)
        _ = try await harness.notification(AMPush(.a).with("d", "jane").with("l", nil))
        try await harness.authenticator.resume()
        let posted = try await harness.lastPost()
        #expect(posted.members["username"] == "jane")
        #expect(try posted.field("Cookie") == "amlbcookie=03")
    }
}

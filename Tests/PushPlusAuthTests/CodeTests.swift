import Foundation
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// One-time codes: `docs/vendors/plusauth.md#one-time-codes`.
@Suite struct CodeTests {
    private func code(
        at time: Double, _ code: EnrollmentCode = EnrollmentCode()
    ) async throws -> OneTimeCode {
        let harness = try PlusAuthHarness()
        await harness.server.hideTime()
        try await harness.enroll(code)
        harness.clock.set(Date(timeIntervalSince1970: time))
        return try await harness.authenticator.code(for: harness.account().id)
    }

    private static let times = [
        59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000,
        1_702_243_100, 1_702_243_130, 1_702_243_070,
    ]

    // The last six digits of RFC 6238's, appendix B, and three more codes that Python made.
    @Test(arguments: times)
    func `the table's codes are made, leading zeros and all`(time: Int) async throws {
        let expected = try Vectors()("totp_\(time)")
        #expect(try await code(at: Double(time)).text.text == expected)
        #expect(try await code(at: Double(time) + 0.999).text.text == expected)
    }

    @Test(arguments: times.prefix(6))
    func `the RFC's eight digits are made`(time: Int) async throws {
        let expected = try Vectors()("totp8_\(time)")
        let eight = EnrollmentCode().with("digits", "8")
        #expect(try await code(at: Double(time), eight).text.text == expected)
        #expect(
            try await code(at: Double(time), EnrollmentCode().with("digits", "7")).text.text
                == String(expected.suffix(7)))
    }

    @Test func `the table's controls come out as they should`() async throws {
        let now = 1_702_243_100.0
        let vectors = try Vectors()
        let sha1 = EnrollmentCode().with("algorithm", "SHA1")
        #expect(
            try await code(at: now, sha1).text.text == vectors("totp_sha1_1702243100"))
        #expect(
            try await code(at: now, EnrollmentCode().with("algorithm", nil)).text.text
                == vectors("totp_sha1_1702243100"))
        #expect(
            try await code(at: now, EnrollmentCode().with("secret", "SOMESECRET")).text.text
                == vectors("totp_SOMESECRET_1702243100"))
    }

    @Test func `a step begins and ends to the second`() async throws {
        for (time, expected) in [
            (1_702_243_079, "415479"), (1_702_243_080, "435223"), (1_702_243_109, "435223"),
            (1_702_243_110, "973540"),
        ] {
            #expect(try await code(at: Double(time)).text.text == expected)
        }
    }

    @Test func `a code says when the next takes its place`() async throws {
        for time in [1_702_243_080.0, 1_702_243_100, 1_702_243_109.5] {
            let end = try await code(at: time).expiry
            #expect(end == Date(timeIntervalSince1970: 1_702_243_110))
        }
        let minute = try await code(at: 1_702_243_100, EnrollmentCode().with("period", "60"))
        #expect(minute.expiry == Date(timeIntervalSince1970: 1_702_243_140))
    }

    @Test(arguments: [-3_600, -45, 0, 45, 3_600, 1e9])
    func `where the server's time is known, a wrong clock makes the right code`(
        error: Double
    ) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        harness.clock.set(WorkedExample.now + error)
        let code = try await harness.authenticator.code(for: harness.account().id)
        #expect(code.text.text == "435223")
        // The code's end is told in the device's own time; the server's is known to the second.
        let rest = try #require(code.expiry).timeIntervalSince(harness.clock.now)
        #expect((9...10).contains(rest), "\(rest)")
    }

    @Test func `codes need no network, and no user`() async throws {
        let harness = try await PlusAuthHarness.enrolled(verifier: .absent())
        let sent = await harness.transport.exchanges.count
        #expect(try await harness.code() == "435223")
        #expect(await harness.transport.exchanges.count == sent)
        #expect(await harness.verifier.requests.isEmpty)
    }

    @Test func `a time before 1970 has no code, and stops nobody`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        harness.clock.set(Date(timeIntervalSince1970: -1))
        _ = try? await harness.code()
        harness.clock.set(WorkedExample.now)
        #expect(try await harness.code() == "435223")
    }

    @Test func `an unknown account has none`() async throws {
        let harness = try PlusAuthHarness()
        let id = Enrollment.ID("x", of: "plusauth")
        let error = try await refusal { _ = try await harness.authenticator.code(for: id) }
        #expect(error.code == .unknownEnrollment)
    }

    // MARK: The account: `docs/vendors/plusauth.md#account`

    @Test func `an account's details have the documented names`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let details = try await harness.provider.accountDetails(of: harness.account().id)
        #expect(details.secret.text == "12345678901234567890123456789012")
        #expect(details.hashAlg == "sha256")
        #expect(details.codeLength == 6)
        #expect(details.ttl == 30)
        #expect(!details.isSIMBound)
        #expect(details.fcmToken == WorkedExample.deviceToken)
        let sent = try #require(await harness.enrollments().first).members()
        #expect(details.deviceIdentifier == sent["device_identifier"]?.string)
        let json = try #require(details.json.object)
        #expect(json["hash_alg"] == "sha256")
        #expect(json["code_length"] == 6)
        #expect(json["ttl"] == 30)
        #expect(json["fcm_token"]?.string == WorkedExample.deviceToken)
        #expect(json["device_identifier"] == sent["device_identifier"])
        #expect(json["is_sim_bound"] == false)
        #expect(json["sim_card_identifiers"] == [])
        #expect(json["secret"]?.string == WorkedExample.secret)
        #expect(json["private_key"] == nil)
        #expect(!"\(details) \(String(reflecting: details))".contains("12345678901234567890"))
    }
}

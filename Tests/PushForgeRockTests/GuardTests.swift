import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// What needs the codes' secret where a guard has it:
/// `docs/vendors/forgerock.md#what-a-guard-can-seal`.
@Suite struct GuardTests {
    /// RFC 4226, appendix D, and its first two codes.
    private static let secret = Array("12345678901234567890".utf8)
    private static let text = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    private static let codes = ["755224", "287082"]

    private static let counted = "otpauth://hotp/Acme:jane?secret=\(text)"
    private static let timed = "otpauth://totp/Acme:jane?secret=\(text)"

    /// Pushes and codes of one scan.
    private static let combined = EnrollmentCode.combined().with("secret", text).text

    private func guarded(_ code: String) async throws -> ForgeRockHarness {
        let harness = try ForgeRockHarness()
        let enrollment = try await harness.enroll(code, guardedBy: .deviceOwner)
        #expect(enrollment.guardPolicy == .deviceOwner)
        return harness
    }

    private func record(_ harness: ForgeRockHarness) async throws -> [UInt8] {
        try #require(try await harness.store.read(.enrollment(harness.enrollmentID))).value.copied
    }

    private func code(_ harness: ForgeRockHarness) async throws -> String {
        try await harness.authenticator.code(for: harness.enrollmentID).text.copiedText()
    }

    @Test(arguments: [counted, timed, combined])
    func `a code asks once, and is locked without the user`(text: String) async throws {
        let harness = try await guarded(text)
        for code in [PushError.Code.locked, .cancelled, .verificationFailed, .guardLost] {
            await harness.keyGuard.refuse(with: code)
            #expect(try await refusal { try await self.code(harness) }.code == code)
        }
        await harness.keyGuard.refuse(with: nil)
        let asked = await harness.keyGuard.requests.count
        let code = try await code(harness)
        #expect(await harness.keyGuard.requests.count == asked + 1)
        try await harness.authenticator.setGuard(nil, of: harness.enrollmentID)
        // What was refused has taken no counter.
        if text == Self.counted {
            #expect(try await [code, self.code(harness)] == Self.codes)
        } else {
            #expect(try await self.code(harness) == code)
        }
    }

    @Test func `a counter goes on while the guard is opened and closed`() async throws {
        let harness = try await guarded(Self.counted)
        for expected in Self.codes { #expect(try await code(harness) == expected) }
        let later = try ForgeRockHarness(sharing: harness)
        #expect(try await !Self.codes.contains(code(later)))
    }

    @Test func `pushes and device tokens ask for nothing, as one secret verifies and answers`()
        async throws
    {
        let harness = try await guarded(Self.combined)
        await harness.keyGuard.refuse(with: .locked)
        #expect(try await harness.notification(AMPush()).accept() == .delivered)
        let other = AMPush().about(randomBytes()).with("i", "1760000300001")
        #expect(try await harness.notification(other).deny() == .delivered)
        try await harness.authenticator.deviceTokenChanged(
            .apns(hex: WorkedExample.newToken, isSandbox: false))
        #expect(
            try await harness.authenticator.deviceTokenState(of: harness.enrollmentID) == .current)
        #expect(try await harness.authenticator.refresh(harness.enrollmentID).state == .active)
        #expect(await harness.keyGuard.requests.isEmpty)
    }

    @Test func `the vendor's door shows a guarded mechanism, and asks for its code`()
        async throws
    {
        let harness = try await guarded(Self.combined)
        let client = FRAClient(harness.authenticator, harness.provider)
        let account = try #require(try await client.getAllAccounts().first)
        #expect(account.mechanisms.count == 2)
        #expect(await harness.keyGuard.requests.isEmpty)
    }

    @Test func `an enrollment without codes is never left unguarded in silence`() async throws {
        let harness = try ForgeRockHarness()
        let code = EnrollmentCode().text
        let error = try await refusal { try await harness.enroll(code, guardedBy: .deviceOwner) }
        #expect(error.code == .unsupported)
        #expect(await harness.transport.exchanges.isEmpty)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        // AM's code is still good.
        try await harness.enroll(code)
        let refused = try await refusal {
            try await harness.authenticator.setGuard(.presence, of: harness.enrollmentID)
        }
        #expect(refused.code == .unsupported)
        #expect(await harness.keyGuard.parts.isEmpty)
    }

    @Test func `codes that were taken over are known again while they are locked`() async throws {
        let harness = try ForgeRockHarness()
        let record = try StoredRecords()("archive-hotp")
        let report = await harness.provider.importEnrollments(from: [record])
        let id = try #require(report.taken.first?.id)
        try await harness.authenticator.setGuard(.deviceOwner, of: id)
        let again = await harness.provider.importEnrollments(from: [record])
        guard case .known(id)? = again.entries.first?.result else {
            Issue.record("\(again)")
            return
        }
        #expect(await harness.keyGuard.requests.isEmpty)
    }

    @Test(arguments: [counted, timed, combined])
    func `the store of guarded codes has no form of their secret`(text: String) async throws {
        let harness = try await guarded(text)
        #expect(!isReadable(Self.secret, in: try await record(harness)))
        _ = try await code(harness)
        #expect(!isReadable(Self.secret, in: try await record(harness)))
        let thief = try ForgeRockHarness(sharing: harness, keyGuard: ScriptedGuard())
        #expect(try await refusal { try await code(thief) }.code == .guardLost)
        try await harness.authenticator.setGuard(nil, of: harness.enrollmentID)
        #expect(isReadable(Self.secret, in: try await record(harness)))
    }
}

import PushCore
import PushTesting
import Testing

/// What is kept in memory of an enrollment counts only while the store has it.
@Suite struct CacheTests {
    @Test func `a record that another process changed counts for the next push`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let other = try ForgeRockHarness(sharing: harness)
        _ = try await harness.authenticator.receive(AMPush().message())
        let key = Array(WorkedExample.secret.reversed())
        try await other.accounts.existing(harness.enrollmentID).change {
            (record: inout Secret.Record, _) in record.secrets = [Secret(key)]
        }
        let old = try AMPush().message()
        let error = try await refusal { _ = try await harness.authenticator.receive(old) }
        #expect(error.code == .untrusted)
        let new = try AMPush().signed(by: key).message()
        #expect(try await harness.authenticator.receive(new).count == 1)
    }

    @Test func `a push for an enrollment that another process removed is nobody's`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let other = try ForgeRockHarness(sharing: harness)
        _ = try await harness.authenticator.receive(AMPush().message())
        try await other.accounts.delete(harness.enrollmentID)
        let push = try AMPush().message()
        let error = try await refusal { _ = try await harness.authenticator.receive(push) }
        #expect(error.code == .unknownEnrollment)
    }
}

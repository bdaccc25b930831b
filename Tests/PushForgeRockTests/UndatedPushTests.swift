import Foundation
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// Pushes without the claim `i`, of AM up to 7.1, or with one that can't be read: AM doesn't say when
/// it made them.
@Suite struct UndatedPushTests {
    private static let undated = [AMPush(.a), AMPush(.d).with("i", "soon")]

    private func validity(_ push: AMPush, in harness: ForgeRockHarness) async throws -> Validity? {
        let reception = try await harness.authenticator.receive(push.message()).first
        guard case .notice(_, let validity)? = reception?.kind else { return nil }
        return validity
    }

    @Test(arguments: undated, [-3600.0, -600, 0, 600, 3600])
    func `they live as long as AM says by AM's clock, however wrong this device's is`(
        push: AMPush, offset: Double
    ) async throws {
        let harness = try await ForgeRockHarness.enrolled(
            at: "Thu, 09 Oct 2025 08:58:20 GMT", by: WorkedExample.issued + offset)
        #expect(try await validity(push, in: harness) == .valid)
        harness.clock.advance(by: .seconds(110))
        #expect(try await validity(push, in: harness) == .valid)
        harness.clock.advance(by: .seconds(20))
        #expect(try await validity(push, in: harness) == nil)
    }

    @Test func `a clock that is corrected between them ends nothing`() async throws {
        let harness = try await ForgeRockHarness.enrolled(at: "Thu, 09 Oct 2025 08:58:20 GMT")
        for offset in [3600.0, 3601, -3600, -3601, 0] {
            harness.clock.set(WorkedExample.issued + offset)
            #expect(
                try await validity(AMPush(.a).about(randomBytes()), in: harness) == .valid)
        }
    }

    @Test func `this device's clock isn't told as AM's, and forgets nothing`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let first = try await harness.notification(AMPush(.a))
        #expect(try await first.accept() == .delivered)
        harness.clock.set(WorkedExample.issued + 31 * 86_400)
        for _ in 0..<3 { _ = try await harness.notification(AMPush(.a).about(randomBytes())) }
        #expect(try await harness.records().map(\.notice.issued) == [nil, nil, nil, nil])
        harness.clock.set(WorkedExample.issued)
        try await harness.authenticator.resume()
        let again = try #require(
            try await harness.authenticator.receive(AMPush(.a).message()).first)
        #expect(!again.isNew)
        #expect(try await harness.authenticator.record(of: first.id) != nil)
    }

    @Test(arguments: undated)
    func `the vendor's names tell when they came, and it stays so`(push: AMPush) async throws {
        let harness = try await ForgeRockHarness.enrolled(
            at: "Thu, 09 Oct 2025 08:58:20 GMT", by: WorkedExample.issued + 3600)
        let notification = try await harness.notification(push)
        #expect(notification.timeAdded == WorkedExample.issued)
        #expect(notification.timeExpired == WorkedExample.expiry)
        harness.clock.advance(by: .seconds(5))
        let later = try await harness.notification(push)
        #expect(later.timeAdded == WorkedExample.issued)
        let known = try await harness.authenticator.challenge(notification.id)
        #expect(known.expiry == WorkedExample.expiry)
    }
}

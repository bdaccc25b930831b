import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What a vendor's error ends is closed; where that fails, the vendor's error is still the one
/// that is heard.
struct CleanUpTests {
    /// An Acme at which most fails, and whose removal forgets the account on this device all the
    /// same.
    private struct Failing: AcmeVariant {
        let acme: Acme
        let error: PushError?
        var beforeFailing: @Sendable () async -> Void = {}

        func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
            await beforeFailing()
            if let error { throw error }
        }

        func remove(_ account: Account, from place: Enrollment.Removal) async throws(PushError) {
            try await acme.accounts.delete(account.id)
            await beforeFailing()
            if let error { throw error }
        }

        func challenge(
            for announcement: inout Announcement, of account: Account
        ) async throws(PushError) -> Challenge {
            if let error { throw error }
            return try await acme.challenge(for: &announcement, of: account)
        }
    }

    private let harness = AuthenticatorHarness()
    private let locked = PushError(.storage, "The store is locked.")

    private func authenticator(
        _ error: PushError?, beforeFailing: @escaping @Sendable () async -> Void = {}
    ) async throws -> PushAuthenticator {
        let failing = Failing(
            acme: harness.acme("acme", .init(capabilities: [.tokenUpdate])), error: error,
            beforeFailing: beforeFailing)
        let authenticator = try PushAuthenticator(
            PluginRegistry([failing]), in: harness.environment)
        _ = try await authenticator.join("ada")
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        return authenticator
    }

    @Sendable private func lock(_ isLocked: Bool) async {
        let error = isLocked ? locked : nil
        await harness.store.refuseWrites { $0.collection == "enrollment" ? error : nil }
    }

    private func heard(_ summary: String) -> Bool {
        harness.observer.observations.contains { $0.summary == summary }
    }

    @Test(arguments: [
        PushError(.unknownEnrollment, "Acme doesn't know it."),
        PushError(.notFound, "It's over.", ends: .finished),
    ])
    func `a challenge that can't be closed hides no vendor's word`(error: PushError) async throws {
        let authenticator = try await authenticator(error)
        await lock(true)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == error.code)
        #expect(heard("What a vendor ended couldn't be closed."))
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        await lock(false)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == error.code)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .over)
    }

    @Test func `nor does one when the device token is told`() async throws {
        // The store is locked once it is on record that the vendor is told.
        let authenticator = try await authenticator(PushError(.unknownEnrollment, "Unknown.")) {
            await lock(true)
        }
        let failures = try await authenticator.deviceTokenChanged(.fcm("t"))
        #expect(failures[.ada]?.code == .unknownEnrollment)
        #expect(heard("What a vendor ended couldn't be closed."))
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
    }

    @Test func `a removal is one step: after it nothing needs the store, and the vendor is heard`()
        async throws
    {
        let authenticator = try await authenticator(PushError(.unreachable, "Nobody there.")) {
            await lock(true)
        }
        let updates = await authenticator.updates()
        #expect(await code { try await authenticator.remove(.ada) } == .unreachable)
        #expect(await harness.store.count == 0)
        #expect(await updates.first { _ in true } == .removed(.ada))
        #expect(!heard("What a vendor ended couldn't be closed."))
    }

    @Test func `a record that can't be deleted is an error of its own, and is whole`() async throws
    {
        let authenticator = try await authenticator(nil)
        await lock(true)
        #expect(await code { try await authenticator.remove(.ada) } == .storage)
        #expect(try await authenticator.enrollments().map(\.id) == [.ada])
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        await lock(false)
        try await authenticator.remove(.ada)
        #expect(await harness.store.count == 0)
    }
}

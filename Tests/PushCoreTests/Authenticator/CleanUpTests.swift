import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// What a vendor's error ends is closed and forgotten; where that fails, the vendor's error is still
/// the one that is heard.
struct CleanUpTests {
    /// An Acme at which most fails, and whose removal forgets the account on this device all the same.
    private struct Failing: AcmeVariant {
        let acme: Acme
        let error: PushError?
        var beforeRemovalFails: @Sendable () async -> Void = {}

        func update(_ deviceToken: DeviceToken?, of account: Account) async throws(PushError) {
            if let error { throw error }
        }

        func remove(_ account: Account, from place: Removal) async throws(PushError) {
            try await acme.accounts.delete(account.id)
            await beforeRemovalFails()
            if let error { throw error }
        }

        func challenge(
            for announcement: Announcement, of account: Account
        ) async throws(PushError) -> Opened {
            if let error { throw error }
            return try await acme.challenge(for: announcement, of: account)
        }
    }

    private let harness = AuthenticatorHarness()
    private let locked = PushError(.storage, "The store is locked.")

    private func authenticator(
        _ error: PushError?, beforeRemovalFails: @escaping @Sendable () async -> Void = {}
    ) async throws -> PushAuthenticator {
        let failing = Failing(
            acme: harness.acme("acme", .init(capabilities: [.tokenUpdate])), error: error,
            beforeRemovalFails: beforeRemovalFails)
        let authenticator = try PushAuthenticator(
            PluginRegistry([failing]), in: harness.environment)
        _ = try await authenticator.join("ada")
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        return authenticator
    }

    private func lockChallenges(_ isLocked: Bool = true) async {
        let error = isLocked ? locked : nil
        await harness.store.refuseWrites { $0.collection == "challenge" ? error : nil }
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
        await lockChallenges()
        #expect(await code { try await authenticator.challenge(.ada("1")) } == error.code)
        #expect(heard("What a vendor ended couldn't be closed."))
        #expect(try await authenticator.record(of: .ada("1"))?.state == .open)
        await lockChallenges(false)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == error.code)
        #expect(await code { try await authenticator.challenge(.ada("1")) } == .over)
    }

    @Test func `nor does one when the device token is told`() async throws {
        let authenticator = try await authenticator(PushError(.unknownEnrollment, "Unknown."))
        await lockChallenges()
        let failures = try await authenticator.deviceTokenChanged(.fcm("t"))
        #expect(failures[.ada]?.code == .unknownEnrollment)
        #expect(heard("What a vendor ended couldn't be closed."))
    }

    @Test func `rows that can't be removed hide no vendor's word on a removal`() async throws {
        let (store, locked) = (harness.store, locked)
        let authenticator = try await authenticator(PushError(.unreachable, "Nobody there.")) {
            await store.refuseWrites { $0.collection == "challenge" ? locked : nil }
        }
        #expect(await code { try await authenticator.remove(.ada) } == .unreachable)
        #expect(heard("What is left of an enrollment couldn't be removed."))
    }

    @Test func `rows that can't be removed are an error of their own`() async throws {
        let authenticator = try await authenticator(nil)
        await lockChallenges()
        #expect(await code { try await authenticator.remove(.ada) } == .storage)
    }
}

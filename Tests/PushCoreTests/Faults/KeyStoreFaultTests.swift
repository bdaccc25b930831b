import Foundation
import HTTPTypes
import PushTesting
import Testing

@testable import FictionalVendor
@testable import PushCore

/// The key store is locked, doesn't find what is there, or was wiped.
struct KeyStoreFaultTests {
    /// A harness over a faulty store, in which ada is enrolled and challenge 1 was approved, but
    /// the reply was lost, and challenge 2 waits.
    private func prepared() async throws -> (AuthenticatorHarness, FaultyStore, PushAuthenticator) {
        let faulty = FaultyStore(InMemoryStore())
        let harness = AuthenticatorHarness(store: faulty)
        let authenticator = try await harness.enrolled()
        let challenge = try await authenticator.open(try AcmeWire.ask("1"))
        await harness.faults.next(.dropAfter)
        _ = try await authenticator.resolve(challenge, with: .approve)
        _ = try await authenticator.receive(try AcmeWire.ask("2"))
        return (harness, faulty, try harness.authenticator())
    }

    private func expectNothingLost(
        _ harness: AuthenticatorHarness, _ authenticator: PushAuthenticator,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(
            try await authenticator.enrollments().map(\.id) == [.ada],
            sourceLocation: sourceLocation)
        _ = try await authenticator.resume()
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .answered(.approve, .delivered), sourceLocation: sourceLocation)
        #expect(
            try await authenticator.record(of: .ada("2"))?.state == .open,
            sourceLocation: sourceLocation)
        #expect(
            Set(await harness.server.choices()) == ["approve"], sourceLocation: sourceLocation)
    }

    @Test func `while the store is locked everything says so, and nothing looks empty`()
        async throws
    {
        let (harness, faulty, authenticator) = try await prepared()
        let exchanges = await harness.transport.exchanges.count
        await faulty.lock()
        #expect(await code { try await authenticator.enrollments() } == .storage)
        #expect(await code { try await authenticator.enrollment(.ada) } == .storage)
        #expect(await code { try await authenticator.records() } == .storage)
        #expect(await code { try await authenticator.record(of: .ada("1")) } == .storage)
        #expect(await code { try await authenticator.receive(try AcmeWire.ask("3")) } == .storage)
        #expect(await code { try await authenticator.challenge(.ada("2")) } == .storage)
        #expect(await code { try await authenticator.deny(.ada("2")) } == .storage)
        #expect(await code { try await authenticator.pending() } == .storage)
        #expect(await code { try await authenticator.resume() } == .storage)
        #expect(await code { try await authenticator.deviceTokenStates() } == .storage)
        #expect(
            await code { try await authenticator.deviceTokenChanged(.fcm("t")) } == .storage)
        #expect(await code { try await authenticator.join("bob") } == .storage)
        #expect(await code { try await authenticator.remove(.ada) } == .storage)
        #expect(
            await harness.transport.exchanges.dropFirst(exchanges).compactMap(\.request.path) == [])
        await faulty.lock(false)
        try await expectNothingLost(harness, authenticator)
    }

    @Test(arguments: ["enrollment", "device"])
    func `a record that is missed once costs nothing, whatever is done meanwhile`(
        collection: String
    ) async throws {
        let doings: [@Sendable (PushAuthenticator) async throws -> Void] = [
            { _ = try await $0.enrollments() },
            { _ = try await $0.records() },
            { _ = try await $0.resume() },
            { _ = try await $0.pending() },
            { _ = try await $0.receive(try AcmeWire.ask("1")) },
            { _ = try await $0.receive(try AcmeWire.cancel("1")) },
            { _ = try await $0.receive(try AcmeWire.hint("finished", "1")) },
            { _ = try await $0.deny(.ada("1")) },
            { _ = try await $0.challenge(.ada("2")) },
            { _ = try await $0.deviceTokenChanged(.fcm("t")) },
            { _ = try await $0.deviceTokenStates() },
            { _ = try await $0.join("ada") },
        ]
        for (number, doing) in doings.enumerated() {
            for skipped in 0..<4 {
                let (harness, faulty, authenticator) = try await prepared()
                await faulty.miss(collection, after: skipped)
                try? await doing(authenticator)
                await faulty.missNothing()
                #expect(
                    try await authenticator.enrollments().map(\.id) == [.ada], "Doing \(number).")
                _ = try await authenticator.resume()
                #expect(
                    try await authenticator.record(of: .ada("1"))?.state
                        == .answered(.approve, .delivered), "Doing \(number).")
                #expect(
                    try await authenticator.record(of: .ada("2"))?.state == .open,
                    "Doing \(number).")
                #expect(Set(await harness.server.choices()) == ["approve"], "Doing \(number).")
            }
        }
    }

    @Test func `after the store was wiped the enrollments are gone, and everything says so`()
        async throws
    {
        let (harness, faulty, authenticator) = try await prepared()
        try await faulty.behind.wipe()
        let answers = await harness.server.answers.count
        #expect(try await authenticator.enrollments().isEmpty)
        #expect(try await authenticator.records().isEmpty)
        #expect(
            await code { try await authenticator.receive(try AcmeWire.ask("2")) }
                == .unknownEnrollment)
        #expect(await code { try await authenticator.deny(.ada("2")) } == .notFound)
        #expect(try await authenticator.resume().isEmpty)
        #expect(try await authenticator.deviceTokenStates().isEmpty)
        #expect(try await authenticator.pending().found.isEmpty)
        #expect(await harness.server.answers.count == answers)
        #expect(try await authenticator.join("ada").state == .active)
        _ = try await authenticator.receive(try AcmeWire.ask("3"))
        #expect(try await authenticator.deny(.ada("3")) == .delivered)
    }

    @Test func `after the enrollments alone were wiped nothing is sent in their name`()
        async throws
    {
        let (harness, faulty, authenticator) = try await prepared()
        try await authenticator.deviceTokenChanged(.fcm("t"))
        let opened = try await authenticator.challenge(.ada("2"))
        try await faulty.behind.wipe(["enrollment"])
        let answers = await harness.server.answers.count
        #expect(
            await code { try await authenticator.receive(try AcmeWire.ask("3")) }
                == .unknownEnrollment)
        // What was opened before is answered in the name of nobody.
        #expect(
            await code { try await authenticator.resolve(opened, with: .approve) }
                == .unknownEnrollment)
        #expect(await code { try await authenticator.deny(.ada("2")) } == .notFound)
        #expect(await harness.server.answers.count == answers)
        _ = try await authenticator.resume()
        #expect(await harness.server.choices(for: "2").isEmpty)
        #expect(await code { try await authenticator.refresh(.ada) } == .unknownEnrollment)
    }

    @Test func `after the challenges alone were wiped the enrollment goes on`() async throws {
        let (harness, faulty, authenticator) = try await prepared()
        try await faulty.behind.edit(.ada) { try $0.with([]) }
        #expect(try await authenticator.enrollments().map(\.id) == [.ada])
        #expect(try await authenticator.receive(try AcmeWire.ask("2")).map(\.isNew) == [true])
        #expect(try await authenticator.deny(.ada("2")) == .delivered)
        #expect(await harness.server.taken["2"] == "deny:unexpected")
    }
}

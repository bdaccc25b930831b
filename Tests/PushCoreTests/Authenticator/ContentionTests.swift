import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

/// Another process writes between this one's reading and writing.
struct ContentionTests {
    private let shared = InMemoryStore()
    private let store: ContestedStore
    private let harness: AuthenticatorHarness
    private let other: AuthenticatorHarness

    init() {
        store = ContestedStore(shared)
        harness = AuthenticatorHarness(store: store)
        other = AuthenticatorHarness(store: shared)
    }

    @Test func `every kind of write is repeated until it wins`() async throws {
        let authenticator = try await harness.enrolled(
            ["ada"], .init(state: .pending(.unconfirmed)))
        await store.touch("enrollment")
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        await store.touch("enrollment")
        #expect(try await authenticator.deny(.ada("1")) == .delivered)
        await store.touch("enrollment")
        _ = try await authenticator.receive(try AcmeWire.ask("2"))
        await store.touch("enrollment")
        _ = try await authenticator.receive(try AcmeWire.cancel("2"))
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        await store.touch("device")
        await store.touch("enrollment")
        try await authenticator.deviceTokenChanged(.fcm("t2"))
        let enrollment = try #require(try await authenticator.enrollment(.ada))
        #expect(enrollment.state == .active && enrollment.deviceToken == .fcm("t2"))
        #expect(
            try await authenticator.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered))
        #expect(
            try await authenticator.record(of: .ada("2"))?.state
                == .over(Withdrawal(.ada("2"), .cancelled)))
        await store.touch("enrollment")
        try await authenticator.remove(.ada)
        #expect(try await shared.names(in: "enrollment").isEmpty)
        #expect(try await authenticator.enrollments().isEmpty)
        #expect(await store.remaining == 0)
    }

    @Test func `two processes that get one message at once make one row`() async throws {
        let authenticator = try await harness.enrolled()
        let second = try other.authenticator()
        await store.interrupt("enrollment") { _ in
            _ = try? await second.receive(try AcmeWire.ask("1"))
        }
        #expect(try await authenticator.receive(try AcmeWire.ask("1")).map(\.isNew) == [false])
        #expect(try await authenticator.records().count == 1)
    }

    /// Lets the second process act between the first one's preparing and recording.
    private func raced(
        _ options: Acme.Options = .init(),
        _ act: @escaping @Sendable (PushAuthenticator, Challenge) async throws -> Void
    ) async throws -> Result<Outcome, any Error> {
        let first = try await harness.enrolled(["ada"], options)
        let second = try other.authenticator(options)
        let challenge = try await first.open(try AcmeWire.ask("1"))
        await store.interrupt("enrollment") { _ in try? await act(second, challenge) }
        do {
            return .success(try await first.resolve(challenge, with: .approve))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: Answer.Kept.Form.allCases)
    func `the same decision by another process is sent by that one alone`(
        kept: Answer.Kept.Form
    ) async throws {
        let result = try await raced(.init(kept: kept)) { second, challenge in
            _ = try await second.resolve(challenge, with: .approve)
        }
        #expect(try result.get() == .delivered)
        #expect(await other.server.answers.count == 1)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test(arguments: [Answer.Kept.Form.whole, .part, .nothing])
    func `the same decision that another process is still sending is unknown`(
        kept: Answer.Kept.Form
    ) async throws {
        await other.faults.next(.dropAfter)
        let result = try await raced(.init(kept: kept)) { second, challenge in
            _ = try await second.resolve(challenge, with: .approve)
        }
        #expect(try result.get() == .unknown("Another process is sending the same decision."))
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `another decision by another process stands`() async throws {
        let result = try await raced { second, challenge in
            _ = try await second.deny(challenge.id)
        }
        #expect(code { try result.get() } == .decidedOtherwise(.deny(.unexpected)))
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `a cancel that another process heard stops the answer`() async throws {
        let result = try await raced { second, _ in
            _ = try await second.receive(try AcmeWire.cancel("1"))
        }
        #expect(code { try result.get() } == .over)
        #expect(await harness.server.answers.isEmpty)
    }

    @Test func `a late word on a decision that was taken back doesn't open the one that stands`()
        async throws
    {
        let first = try await harness.enrolled()
        let second = try other.authenticator()
        for server in [harness.server, other.server] { await server.sayUntaken() }
        let challenge = try await first.open(try AcmeWire.ask("1", prompt: "choose"))
        await harness.faults.next(.dropBefore)
        _ = try await first.resolve(challenge, with: .choose("12"))
        // The second process repeats the wrong choice, and hears of it late.
        let gate = Gate()
        await other.server.hold("/answer", at: gate)
        async let late = second.resume()
        await gate.arrival()
        _ = try await first.resume()
        await harness.faults.next(.dropAfter)
        _ = try await first.resolve(challenge, with: .choose("34"))
        await gate.open()
        _ = try await late
        #expect(try await first.record(of: .ada("1"))?.state == .decided(.choose("34")))
        #expect(
            await code { try await second.deny(.ada("1")) } == .decidedOtherwise(.choose("34")))
    }

    @Test func `what the vendor says replaces the unknown that another process noted`()
        async throws
    {
        let first = try await harness.enrolled()
        _ = try await first.receive(try AcmeWire.ask("1"))
        let second = PushAuthenticator(
            try PluginRegistry([Unsure(acme: other.acme())]), in: other.environment)
        let gate = Gate()
        await harness.server.hold("/answer", at: gate)
        async let outcome = first.deny(.ada("1"))
        await gate.arrival()
        #expect(try await second.resume() == [.ada("1"): .unknown("It may have been taken.")])
        await gate.open()
        #expect(try await outcome == .delivered)
        #expect(
            try await first.record(of: .ada("1"))?.state
                == .answered(.deny(.unexpected), .delivered))
    }

    @Test func `a message that comes while its enrollment is removed leaves no row`() async throws {
        let first = try await harness.enrolled()
        let second = try other.authenticator()
        await store.interrupt("enrollment") { _ in try? await second.remove(.ada) }
        #expect(
            await code { try await first.receive(try AcmeWire.ask("1")) } == .unknownEnrollment)
        #expect(try await shared.names(in: "enrollment").isEmpty)
    }

    @Test func `what was verified for an enrollment that is made again meanwhile leaves nothing`()
        async throws
    {
        let first = try await harness.enrolled()
        // Another process draws numbers of its own.
        let second = try other.machine("second").authenticator
        func remake() async {
            await store.interrupt("enrollment") { _ in
                try? await second.remove(.ada)
                _ = try? await second.join("ada")
            }
        }
        await remake()
        #expect(
            await code { try await first.receive(try AcmeWire.ask("1")) } == .unknownEnrollment)
        #expect(try await second.records().isEmpty)
        // The next one is verified by the new record.
        let challenge = try await first.open(try AcmeWire.ask("2"))
        await remake()
        #expect(
            await code { try await first.resolve(challenge, with: .approve) }
                == .unknownEnrollment)
        #expect(try await second.records().isEmpty)
        #expect(try await second.enrollments().map(\.id) == [.ada])
        #expect(await harness.server.answers.isEmpty)
        #expect(await store.remaining == 0)
    }

    @Test func `an enrollment that another process removed gets no answer`() async throws {
        let result = try await raced { second, _ in try await second.remove(.ada) }
        #expect(code { try result.get() } == .unknownEnrollment)
        #expect(try await shared.names(in: "enrollment").isEmpty)
        #expect(await harness.server.answers.isEmpty)
    }
}

/// An Acme that takes no copy for an answer.
private struct Unsure: AcmeVariant {
    let acme: Acme

    func send(
        _ answer: Answer, for announcement: inout Announcement, of account: Account, again: Bool
    ) async throws(PushError) -> Outcome {
        .unknown("It may have been taken.")
    }

    func status(
        for announcement: inout Announcement, of account: Account, kept: Secret?
    ) async throws(PushError) -> Challenge.Status {
        .unknown
    }
}

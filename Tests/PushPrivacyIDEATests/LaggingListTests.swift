import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// A node that lags lacks on its list what another one has: `docs/vendors/privacyidea.md#answers`.
@Suite struct LaggingListTests {
    /// A denial whose first copy may have been taken, and a server that lists what is given.
    private func denied(
        _ fault: FaultPlan.Fault = .dropBefore, listing: Bool = false
    ) async throws -> (harness: ScriptedHarness, challenge: Challenge) {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(fault)
        _ = try await harness.authenticator.resolve(challenge, with: .deny(.fraud))
        await list(listing, in: harness)
        return (harness, challenge)
    }

    private func list(_ has: Bool, in harness: ScriptedHarness) async {
        guard has, let listed = try? SignedChallenge().json(by: harness.vectors.key("server"))
        else { return await harness.server.list() }
        await harness.server.list(listed)
    }

    private func isDecided(
        _ challenge: Challenge, in harness: ScriptedHarness
    ) async throws -> Bool {
        try await harness.authenticator.record(of: challenge.id)?.state
            == .decided(.deny(.fraud))
    }

    /// Goes on, beside what goes on by itself.
    private func comes(
        _ outcome: Outcome, to challenge: Challenge, in harness: ScriptedHarness
    ) async throws {
        _ = try await harness.authenticator.resume()
        try await eventually {
            try await harness.authenticator.record(of: challenge.id)?.state
                == .answered(.deny(.fraud), outcome)
        }
    }

    @Test func `one list that lacks it ends no decision, and the same bytes go out`() async throws {
        let (harness, challenge) = try await denied()
        for _ in 1...3 {
            // However often the same list is read.
            _ = try await harness.authenticator.resume()
            #expect(try await isDecided(challenge, in: harness))
        }
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(try await isDecided(challenge, in: harness))
        await list(true, in: harness)
        harness.clock.advance(by: .seconds(5))
        try await comes(.delivered, to: challenge, in: harness)
        let sent = await harness.sent(.answer)
        #expect(sent.count == 1 && FormText(sent[0])?["decline"] == "1")
    }

    @Test func `a list that has it starts the count anew`() async throws {
        let (harness, challenge) = try await denied()
        _ = try await harness.authenticator.resume()
        await list(true, in: harness)
        _ = try await harness.authenticator.pending(for: harness.id)
        await list(false, in: harness)
        harness.clock.advance(by: .seconds(60))
        _ = try await harness.authenticator.resume()
        #expect(try await isDecided(challenge, in: harness))
        // Likewise where it was asked for the decision's sake, and the copy got lost.
        await list(true, in: harness)
        await harness.faults.next(.dropBefore, where: { $0.method == .post })
        _ = try await harness.authenticator.resume()
        await list(false, in: harness)
        harness.clock.advance(by: .seconds(60))
        _ = try await harness.authenticator.resume()
        #expect(try await isDecided(challenge, in: harness))
        harness.clock.advance(by: .seconds(5))
        try await comes(.ended, to: challenge, in: harness)
        #expect(await harness.sent(.answer).isEmpty)
    }

    @Test func `by two lists in a row it's over, by itself and after a restart`() async throws {
        let (harness, challenge) = try await denied(.dropAfter)
        try await eventually { harness.clock.sleepers == 1 }
        harness.clock.advance(by: .seconds(1))
        try await eventually { await harness.sent(.poll).count >= 1 && harness.clock.sleepers == 1 }
        #expect(try await isDecided(challenge, in: harness))
        harness.clock.advance(by: .seconds(6))
        try await eventually { try await !isDecided(challenge, in: harness) }
        try await comes(.ended, to: challenge, in: harness)

        let (first, other) = try await denied(.dropAfter)
        _ = try await first.authenticator.resume()
        let second = try await ScriptedHarness(sharing: first)
        second.clock.advance(by: .seconds(90))
        await list(false, in: second)
        try await comes(.ended, to: other, in: second)
    }

    @Test(arguments: [true, false])
    func `a first copy that isn't taken asks a second list before it's over`(
        lags: Bool
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.list()
        await harness.server.reply(to: .answer, .value(false))
        async let outcome = harness.authenticator.resolve(challenge, with: .deny(.fraud))
        try await eventually {
            await harness.sent(.answer).count == 1 && harness.clock.sleepers >= 1
        }
        if lags { await list(true, in: harness) }
        harness.clock.advance(by: .seconds(6))
        #expect(
            try await outcome
                == .notTaken(
                    .init(lags ? .other : .stateChanged, mayRetry: lags, status: 200)))
    }

    private func eventually(_ holds: () async throws -> Bool) async throws {
        for _ in 0..<20_000 {
            if try await holds() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw PushError(.cancelled, "It never came.")
    }
}

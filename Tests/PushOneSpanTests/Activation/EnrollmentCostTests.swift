import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// An enrollment costs the same, however many there are.
@Suite(.timeLimit(.minutes(10))) struct EnrollmentCostTests {
    private func enroll(_ user: String, _ harness: OneSpanHarness) async throws -> Enrollment {
        let offers = try harness.authenticator.offers(
            for: try await harness.simulator.invitation(for: user))
        return try await harness.authenticator.enroll(try #require(offers.first))
    }

    @Test func `the two hundredth enrollment reads what the tenth does`() async throws {
        let store = CountingStore()
        let harness = try OneSpanHarness(in: store)
        try await harness.authenticator.deviceTokenChanged(OneSpanHarness.token)
        var counts: [Int: (reads: Int, lists: Int)] = [:]
        for number in 1...200 {
            let before = (reads: await store.reads, lists: await store.listings)
            let enrollment = try await enroll("user-\(number)", harness)
            #expect(enrollment.state == .active)
            counts[number] = (
                await store.reads - before.reads, await store.listings - before.lists
            )
        }
        #expect(counts[200]?.reads == counts[10]?.reads)
        #expect(counts[10]?.lists == 0)
        #expect(counts[200]?.lists == 0)
    }

    @Test func `a user is activated once, and again after being deleted`() async throws {
        let harness = try OneSpanHarness()
        let first = try await enroll("alice", harness)
        let error = try await refusal { _ = try await enroll("alice", harness) }
        #expect(error.oneSpan == .alreadyActivated)
        // Byte for byte, as the server has it.
        #expect(try await enroll("Alice", harness).id != first.id)
        try await harness.authenticator.remove(first.id)
        let again = try await enroll("alice", harness)
        #expect(again.id != first.id)
    }

    @Test func `of two activations of a user at once, one is kept`() async throws {
        let harness = try OneSpanHarness()
        let offer = try await harness.offer()
        let other = try OneSpanHarness(sharing: harness)
        async let one = Result { () async throws(PushError) in
            try await harness.authenticator.enroll(offer)
        }
        async let two = Result { () async throws(PushError) in
            try await other.authenticator.enroll(offer)
        }
        let made = await [one, two].compactMap { try? $0.get() }
        #expect(made.count <= 1)
        let kept = try await harness.authenticator.enrollments().count
        #expect(kept == made.count)
        // What is left of the other stands in nobody's way.
        if made.isEmpty { _ = try await harness.activate() }
    }
}

import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// How flows of remote requests end, and how many there are.
struct OOCRemoteFlowTests {
    @Test func `giving up is possible until the answer is made`() async throws {
        let harness = try await VectorEngine.activated()
        let (one, two) = (try await harness.display(), try await harness.display())
        #expect(await harness.engine.cancel(one))
        #expect(await harness.engine.timeLeft(of: one) == nil)
        let answer = try await harness.approve(two)
        #expect(!(await harness.engine.cancel(two)))
        #expect(
            try await harness.engine.consume(harness.server.result(of: answer, 2)).accepted == true)
        #expect(await harness.engine.cancel(two))
    }

    @Test func `an answer outlives its process`() async throws {
        let harness = try await VectorEngine.activated()
        let answer = try await harness.approve(try await harness.display())
        let later = try VectorEngine(sharing: harness)
        #expect(try await later.engine.resume(answer, of: OOC.requestID).sent == answer)
        #expect(try await later.engine.resume(answer, of: OOC.requestID).sent == answer)
        let wrong = try harness.server.result(of: answer, 1, here: 0, attempts: 1)
        #expect(
            try await later.engine.consume(wrong).problem
                == .init(.wrongResponse(attemptsLeft: 1), mayRetry: false))
        _ = try await later.engine.resume(answer, of: OOC.requestID)
        #expect(
            try await later.engine.consume(harness.server.result(of: answer, 2)).accepted == true)
        _ = try await later.engine.resume(answer, of: "other")
        let result = try harness.server.result(of: answer, 2)
        #expect(
            await OOC.problem { _ = try await later.engine.consume(result) } == .unexpectedCommand)
    }

    @Test func `flows have a limit, and the oldest goes first`() async throws {
        let harness = try await VectorEngine.activated()
        let trigger = try harness.server.trigger()
        var fetches: [OrchestrationCommand] = []
        for _ in 0...OpenReferenceEngine.flowLimit {
            fetches.append(try await harness.engine.consume(trigger).sent)
        }
        let (first, second) = (fetches[0], fetches[1])
        #expect(
            await OOC.problem {
                _ = try await harness.engine.consume(harness.server.over(first, 2))
            }
                == .unexpectedCommand)
        #expect(
            try await harness.engine.consume(harness.server.over(second, 2)).outdated == .accepted)
    }
}

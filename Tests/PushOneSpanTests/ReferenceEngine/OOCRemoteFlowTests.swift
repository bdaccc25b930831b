import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushOneSpan
@testable import PushOneSpanReference

/// How flows of remote requests end, and how many there are.
struct OOCRemoteFlowTests {
    @Test func `giving up is possible until the answer is made`() async throws {
        let world = try await EngineBench.activated()
        let (one, two) = (try await world.display(), try await world.display())
        #expect(await world.engine.cancel(one))
        #expect(await world.engine.timeLeft(of: one) == nil)
        let answer = try await world.approve(two)
        #expect(!(await world.engine.cancel(two)))
        #expect(try await world.engine.consume(world.server.result(of: answer, 2)).accepted == true)
        #expect(await world.engine.cancel(two))
    }

    @Test func `an answer outlives its process`() async throws {
        let world = try await EngineBench.activated()
        let answer = try await world.approve(try await world.display())
        let later = try EngineBench(sharing: world)
        #expect(try await later.engine.resume(answer, of: OOC.requestID).sent == answer)
        #expect(try await later.engine.resume(answer, of: OOC.requestID).sent == answer)
        let wrong = try world.server.result(of: answer, 1, here: 0, attempts: 1)
        #expect(
            try await later.engine.consume(wrong).problem
                == .init(.wrongResponse(attemptsLeft: 1), mayRetry: false))
        _ = try await later.engine.resume(answer, of: OOC.requestID)
        #expect(try await later.engine.consume(world.server.result(of: answer, 2)).accepted == true)
        _ = try await later.engine.resume(answer, of: "other")
        let result = try world.server.result(of: answer, 2)
        #expect(
            await OOC.problem { _ = try await later.engine.consume(result) } == .unexpectedCommand)
    }

    @Test func `flows have a limit, and the oldest goes first`() async throws {
        let world = try await EngineBench.activated()
        let trigger = try world.server.trigger()
        var fetches: [OrchestrationCommand] = []
        for _ in 0...OpenReferenceEngine.flowLimit {
            fetches.append(try await world.engine.consume(trigger).sent)
        }
        let (first, second) = (fetches[0], fetches[1])
        #expect(
            await OOC.problem { _ = try await world.engine.consume(world.server.over(first, 2)) }
                == .unexpectedCommand)
        #expect(try await world.engine.consume(world.server.over(second, 2)).outdated == .accepted)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushAuthCommand

/// What a vendor that never answers costs the others.
@Suite(.timeLimit(.minutes(1)))
struct VendorQuestionsTests {
    /// A network on which one server never answers until a gate is opened.
    private struct Network: Transport {
        let knocks: AsyncStream<Void>.Continuation
        let gate: Event

        func send(
            _ request: HTTPRequest, body: Data
        ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
            if request.authority == "sick.example" {
                knocks.yield()
                await gate.wait()
            }
            return (HTTPResponse(status: .ok), Data())
        }
    }

    private func request(_ host: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: host, path: "/")
    }

    @Test func `only so many are asked of a server at once, and another one is asked at once`()
        async throws
    {
        let (arrivals, knocks) = AsyncStream<Void>.makeStream()
        let gate = Event()
        let questions = VendorQuestions(limit: .zero)
        let transport = QuestioningTransport(
            base: Network(knocks: knocks, gate: gate), questions: questions)
        let asking = VendorQuestions.isAsking.withValue(true) {
            (0...VendorQuestions.width).map { _ in
                Task { _ = try await transport.send(request("sick.example"), body: Data()) }
            }
        }
        var knocking = arrivals.makeAsyncIterator()
        for _ in 0..<VendorQuestions.width { await knocking.next() }
        #expect(await questions.hanging == ["sick.example"])
        // Those that are no question, such as an answer, don't wait.
        let answer = Task { try await transport.send(request("sick.example"), body: Data()) }
        await knocking.next()
        try await VendorQuestions.isAsking.withValue(true) {
            _ = try await transport.send(request("well.example"), body: Data())
        }
        // The one that is too much gives up; nothing of it reached the vendor.
        var refusals: [PushError.Code] = []
        gate.happen()
        for task in asking {
            do { try await task.value } catch let error as PushError { refusals.append(error.code) }
        }
        _ = try await answer.value
        // Whether its turn came in time is the machine's matter.
        #expect(refusals.allSatisfy { $0 == .unreachable } && refusals.count <= 1)
        #expect(await questions.hanging.isEmpty)
    }

    @Test func `one that waits too long hears that nothing was reached`() async throws {
        let (_, knocks) = AsyncStream<Void>.makeStream()
        let gate = Event()
        let transport = QuestioningTransport(
            base: Network(knocks: knocks, gate: gate), questions: VendorQuestions())
        let asking = VendorQuestions.isAsking.withValue(true) {
            (0..<VendorQuestions.width * 2).map { _ in
                Task { () -> PushError.Code? in
                    do throws(PushError) {
                        _ = try await transport.send(request("sick.example"), body: Data())
                        return nil
                    } catch {
                        return error.code
                    }
                }
            }
        }
        // Half of them have their turn, whichever they are, and never come back by themselves.
        let codes = AsyncStream<PushError.Code?> { source in
            for task in asking { Task { source.yield(await task.value) } }
        }
        var refusals = 0
        for await code in codes {
            #expect(code == .unreachable)
            refusals += 1
            if refusals == VendorQuestions.width { break }
        }
        gate.happen()
        for task in asking { _ = await task.value }
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushAuthCommand

/// What a vendor that never answers costs the others.
@Suite(.timeLimit(.minutes(10)))
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

    /// A server that wants to be left alone until it is told otherwise.
    private actor Tired: Transport {
        private(set) var asked = 0
        private var isTired = true

        func rest() { isTired = false }

        func send(
            _ request: HTTPRequest, body: Data
        ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
            asked += 1
            guard isTired else { return (HTTPResponse(status: .ok), Data()) }
            var response = HTTPResponse(status: .tooManyRequests)
            response.headerFields[.retryAfter] = "86400"
            return (response, Data())
        }
    }

    /// The network as providers get it.
    private func transports(
        _ network: any Transport, _ questions: VendorQuestions, of providers: ProviderID...
    ) -> [any Transport] {
        let environment = PushEnvironment(
            transport: QuestioningTransport(base: network, questions: questions),
            store: InMemoryStore(), verifier: ScriptedVerifier.willing(),
            device: Device(name: "phone"))
        return providers.map { environment.scoped(to: $0).transport }
    }

    private func request(_ host: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: host, path: "/")
    }

    @Test func `only so many are asked of a vendor at once, and another one is asked at once`()
        async throws
    {
        let (arrivals, knocks) = AsyncStream<Void>.makeStream()
        let gate = Event()
        let questions = VendorQuestions(limit: .zero)
        let vendors = transports(
            Network(knocks: knocks, gate: gate), questions, of: "sick", "well")
        let (transport, other) = (vendors[0], vendors[1])
        let asking = VendorQuestions.isAsking.withValue(true) {
            (0...VendorQuestions.width).map { _ in
                Task { _ = try await transport.send(request("sick.example"), body: Data()) }
            }
        }
        var knocking = arrivals.makeAsyncIterator()
        for _ in 0..<VendorQuestions.width { await knocking.next() }
        #expect(await questions.hanging == ["sick at sick.example"])
        // Those that are no question, such as an answer, don't wait.
        let answer = Task { try await transport.send(request("sick.example"), body: Data()) }
        await knocking.next()
        try await VendorQuestions.isAsking.withValue(true) {
            _ = try await transport.send(request("well.example"), body: Data())
        }
        // Nor does another vendor's question at the same gateway.
        let elsewhere = VendorQuestions.isAsking.withValue(true) {
            Task { try await other.send(request("sick.example"), body: Data()) }
        }
        await knocking.next()
        // The one that is too much gives up; nothing of it reached the vendor.
        var refusals: [PushError.Code] = []
        gate.happen()
        for task in asking {
            do { try await task.value } catch let error as PushError { refusals.append(error.code) }
        }
        _ = try await answer.value
        _ = try await elsewhere.value
        // Whether its turn came in time is the machine's matter.
        #expect(refusals.allSatisfy { $0 == .unreachable } && refusals.count <= 1)
        #expect(await questions.hanging.isEmpty)
    }

    @Test func `a vendor that doesn't take an answer is named as well`() async throws {
        let (arrivals, knocks) = AsyncStream<Void>.makeStream()
        let gate = Event()
        let questions = VendorQuestions(limit: .zero)
        let transport = transports(
            Network(knocks: knocks, gate: gate), questions, of: "sick")[0]
        let answer = Task { try await transport.send(request("sick.example"), body: Data()) }
        var knocking = arrivals.makeAsyncIterator()
        await knocking.next()
        #expect(await questions.hanging == ["sick at sick.example"])
        gate.happen()
        _ = try await answer.value
        #expect(await questions.hanging.isEmpty)
    }

    /// Why a question that nobody waits for wasn't sent.
    private func poll(_ transport: any Transport) async -> VendorQuestions.Delay? {
        let request = request("tired.example")
        return await VendorQuestions.sparing { () async -> VendorQuestions.Delay? in
            do throws(PushError) {
                _ = try await transport.send(request, body: Data())
                return nil
            } catch {
                return error.underlying as? VendorQuestions.Delay
            }
        }
    }

    @Test func `what one device hears of a pause counts for all, for minutes, and for no answer`()
        async throws
    {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_790_000_000))
        let questions = VendorQuestions(clock: clock)
        let server = Tired()
        let one = transports(server, questions, of: "acme", "other")
        let two = transports(server, questions, of: "acme")
        #expect(await poll(one[0]) == nil)
        #expect(await poll(two[0]) == .pause)
        #expect(await server.asked == 1)
        // Another vendor behind the same gateway has said nothing.
        #expect(await poll(one[1]) == nil)
        clock.advance(by: .seconds(299))
        #expect(await poll(two[0]) == .pause)
        clock.advance(by: .seconds(2))
        #expect(await poll(two[0]) == nil)
        #expect(await server.asked == 3)
        #expect(await poll(one[0]) == .pause)
        // An answer goes out at once, and its success ends the pause.
        await server.rest()
        _ = try await two[0].send(request("tired.example"), body: Data())
        #expect(await poll(one[0]) == nil)
        #expect(await server.asked == 5)
    }

    @Test func `one that waits too long hears that nothing was reached`() async throws {
        let (_, knocks) = AsyncStream<Void>.makeStream()
        let gate = Event()
        let transport = transports(
            Network(knocks: knocks, gate: gate), VendorQuestions(), of: "sick")[0]
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

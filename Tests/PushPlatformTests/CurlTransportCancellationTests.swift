#if os(Linux)
import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushPlatform

@Suite(.timeLimit(.minutes(10))) struct `A cancelled exchange over curl` {
    // It waits longer than a test may, so that only the cancellation can end an exchange.
    private let transport = CurlTransport(
        .init(plainHTTP: .loopbackOnly, timeout: .seconds(90)))

    @Test func `that was still shaking hands has sent nothing`() async throws {
        let (arrived, left) = (Signal(), Signal())
        let server = try LoopbackServer { connection in
            arrived.happen()
            connection.awaitHangUp()
            left.happen()
        }
        let error = try await cancelledFailure(.secure(server), after: arrived)
        #expect(error.code == .cancelled)
        await left.wait()
    }

    @Test func `leaves the others alone`() async throws {
        let (arrived, released) = (Signal(), Gate())
        let server = try LoopbackServer { connection in
            guard let request = connection.readRequest() else { return }
            if request.requestLine.contains("doomed") {
                arrived.happen()
                connection.awaitHangUp()
                released.open()
            } else {
                released.wait()
                connection.reply(body: "fine")
            }
        }
        async let other = transport.send(.get(server), body: Data())
        let error = try await cancelledFailure(.post(server, path: "/doomed"), after: arrived)
        #expect(error.code == .interrupted)
        #expect(try await other.body == Data("fine".utf8))
    }

    @Test func `fails when its event loop ends, and none starts after that`() async throws {
        let arrived = Signal()
        let server = try LoopbackServer { connection in
            _ = connection.readRequest()
            arrived.happen()
            connection.awaitHangUp()
        }
        let loop = CurlEventLoop()
        let early = CurlTicket(try request(.post(server)))
        let reply = await withCheckedContinuation { continuation in
            loop.submit(early) { continuation.resume(returning: $0) }
            Task {
                await arrived.wait()
                loop.stop()
            }
        }
        #expect(throws: PushError.self) { try reply.get() }
        guard case .failure(let error) = reply else { return }
        #expect(error.code == .interrupted)

        let late = await withCheckedContinuation { continuation in
            let ticket = CurlTicket(early.request)
            loop.submit(ticket) { continuation.resume(returning: $0) }
        }
        guard case .failure(let refusal) = late else { throw NothingThrown() }
        #expect(refusal.code == .unreachable)
    }

    private func cancelledFailure(
        _ request: HTTPRequest, after event: Signal
    ) async throws -> PushError {
        let task = Task {
            await Result { () async throws(PushError) in
                try await transport.send(request, body: Data("x".utf8)).body
            }
        }
        await event.wait()
        task.cancel()
        return try await refusal { try await task.value.get() }
    }

    private func request(_ request: HTTPRequest) throws -> CurlRequest {
        try CurlRequest(request, body: Data("x".utf8), configuration: transport.configuration)
    }
}

/// What a server's thread waits for.
private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }
    func wait() { semaphore.wait() }
}
#endif

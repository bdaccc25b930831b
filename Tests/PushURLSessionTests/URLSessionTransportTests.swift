import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized) struct `A URLSession transport` {
    @Test func `keeps the promises of a transport`() async throws {
        let transport = try makeTransport(.init(plainHTTP: .loopbackOnly, maximumBodySize: 1000))
        #expect(await TransportConformance(transport, maximumBodySize: 1000).check() == [])
    }

    @Test func `calls nobody listening unreachable, with URLSession's reason`() async throws {
        let transport = try makeTransport(.init(plainHTTP: .loopbackOnly))
        let port = try LoopbackServer.deafPort()
        let error = try await refusal {
            try await transport.send(
                HTTPRequest(
                    method: .post, scheme: "http", authority: "127.0.0.1:\(port)", path: "/"),
                body: Data("x".utf8))
        }
        #expect(error.code == .unreachable)
        let cause = try #require(error.underlying as? URLSessionFailure)
        #expect(cause.code == URLError.Code.cannotConnectToHost.rawValue)
    }

    @Test func `waits no longer than allowed`() async throws {
        let server = try LoopbackServer { $0.awaitHangUp() }
        let impatient = try makeTransport(
            .init(plainHTTP: .loopbackOnly, timeout: .seconds(3)))
        let error = try await refusal {
            try await impatient.send(.post(server), body: Data("x".utf8))
        }
        #expect(error.code == .interrupted)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushTesting
import Testing

/// The relay over HTTP.
@Suite struct RelayTests {
    private static let command = "4F4F4331"

    private func exchange(
        _ status: HTTPResponse.Status, _ body: String
    ) async throws -> (OrchestrationCommand, SimulatedTransport) {
        let transport = SimulatedTransport { _, _ in
            (HTTPResponse(status: status), Data(body.utf8))
        }
        let environment = PushEnvironment(
            transport: transport, store: InMemoryStore(), verifier: ScriptedUser(),
            device: Device(name: "Phone", platform: .android))
        let relay = HTTPCommandRelay(
            try Endpoint("https://app.example.com/commands"), in: environment
        ) { () throws(PushError) in [.authorization: "Bearer app-session"] }
        let reply = try await relay.exchange(
            try OrchestrationCommand("00ff"), correlation: FlowID("1"))
        return (reply, transport)
    }

    @Test func `a command goes out as JSON, with what the app adds`() async throws {
        let (reply, transport) = try await exchange(.ok, #"{"command":"4f4f4331"}"#)
        #expect(reply.hex == Self.command)
        let sent = try #require(await transport.exchanges.first)
        #expect(sent.body == Data(#"{"command":"00FF"}"#.utf8))
        #expect(sent.request.method == .post)
        #expect(sent.request.headerFields[.authorization] == "Bearer app-session")
        #expect(sent.request.headerFields[.contentType] == "application/json")
    }

    @Test func `the command of an error is handed on, whatever stands beside it`() async throws {
        let (reply, _) = try await exchange(
            .conflict,
            #"""
            {"errorCategory":"authenticator","errorCode":-1300,"message":"No.",
             "command":"4F4F4331","service":"trusted-device","logCorrelationId":"c-1",
             "timestamp":"2026-01-01T00:00:00Z"}
            """#)
        #expect(reply.hex == Self.command)
    }

    @Test(arguments: [(404, #"{}"#), (500, ""), (503, #"{"command":"F"}"#), (302, "")])
    func `a status without a command is the server's`(status: Int, body: String) async throws {
        let error = try await refusal {
            _ = try await exchange(.init(code: status), body)
        }
        #expect(error.code == .server(status: status))
    }

    @Test func `a redirect is no reply, even with a command`() async throws {
        let error = try await refusal {
            _ = try await exchange(.temporaryRedirect, #"{"command":"4F4F4331"}"#)
        }
        #expect(error.code == .server(status: 307))
    }

    @Test(arguments: ["", "[]", #"{"command":1}"#, #"{"command":""}"#, #"{"command":"4F4"}"#])
    func `a success that can't be read leaves the outcome open`(body: String) async throws {
        let error = try await refusal { _ = try await exchange(.ok, body) }
        #expect(error.code == .interrupted)
        #expect(error.oneSpan == .relay)
    }

    @Test func `a reply may have its longest, and no more`() async throws {
        let longest = String(repeating: "00", count: OrchestrationCommand.limit)
        let (reply, _) = try await exchange(.ok, #"{"command":"\#(longest)"}"#)
        #expect(reply.hex == longest)
        let more = try await refusal {
            _ = try await exchange(.ok, #"{"command":"\#(longest)00"}"#)
        }
        #expect(more.code == .interrupted)
        let blank = String(repeating: " ", count: HTTPCommandRelay.bodyLimit + 1)
        let huge = try await refusal { _ = try await exchange(.ok, blank) }
        #expect(huge.code == .oversizedReply)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct ReplyTests {
    private func reply(_ status: Int, _ body: String) throws(PushError) -> HTTPReply {
        try HTTPReply(status: status, body: Data(body.utf8))
    }

    @Test func `a success is its response object, or nothing`() throws {
        #expect(try reply(200, #"{"status":"OK","responseObject":[1]}"#).value == [1])
        #expect(try reply(200, #"{"status":"OK"}"#).value == .null)
        #expect(try reply(200, #"{"status":"OK","responseObject":null,"x":1}"#).value == .null)
    }

    @Test func `an error is what its code says, and the message decides nothing`() throws {
        let text =
            #"{"status":"ERROR","responseObject":{"code":"INVALID_OPERATION","message":"OPERATION_EXPIRED"}}"#
        let refused = try reply(400, text)
        #expect(refused.refusal == .invalidOperation)
        #expect(refused.error.code == .server(status: 400))
        #expect(refused.error.underlying as? PowerAuthErrorCode == .invalidOperation)
        #expect(!refused.error.description.contains("EXPIRED"))
        // An error that pretends to be well.
        #expect(try !reply(200, text).isSuccess)
    }

    @Test(arguments: PowerAuthErrorCode.allCases)
    func `a code counts with the status that it's documented with, and no other`(
        _ code: PowerAuthErrorCode
    ) throws {
        let text = #"{"status":"ERROR","responseObject":{"code":"\#(code.rawValue)"}}"#
        for status in [200, 400, 401, 403, 404, 405, 409, 410, 418, 422] {
            let found = try reply(status, text).refusal
            #expect(found == (status == code.status ? code : nil), "\(status)")
        }
    }

    @Test(arguments: Gateway.Answer.strangers)
    func `a reply that isn't in the server's form is neither a yes nor a no of its own`(
        _ answer: Gateway.Answer
    ) throws {
        guard let reply = try? HTTPReply(answer.response, body: Data(answer.body.utf8)) else {
            return
        }
        #expect(!reply.isSuccess)
        #expect(!reply.isEnvelope)
        #expect(!reply.isServers)
        #expect(reply.error.underlying == nil)
        let expected: PushError.Code =
            200..<300 ~= answer.status ? .interrupted : .server(status: answer.status)
        #expect(reply.error.code == expected)
    }

    @Test func `a reply larger than the transports take is the same error here`() throws {
        let text = String(repeating: "x", count: 1 << 20)
        for status in [200, 404] {
            let error = #expect(throws: PushError.self) { try reply(status, "\"\(text)\"") }
            #expect(error?.code == .oversizedReply)
        }
        let least = String(repeating: "x", count: (1 << 20) - 2)
        #expect(try reply(200, "\"\(least)\"").object == .string(least))
    }

    @Test func `a server whose other half is away may have done it`() throws {
        let text = #"{"status":"ERROR","responseObject":{"code":"REMOTE_COMMUNICATION_ERROR"}}"#
        #expect(try reply(409, text).error.code == .interrupted)
    }

    @Test func `an error without JSON is an error all the same`() throws {
        #expect(try reply(404, "<html>").error.code == .server(status: 404))
        #expect(try reply(302, "").error.code == .server(status: 302))
        for status in [429, 500, 502, 503] {
            let error = #expect(throws: PushError.self) { try reply(status, "<html>") }
            #expect(error?.code == .server(status: status))
        }
    }

    @Test(arguments: ["", "<html>", #"{"a":1,"a":2}"#])
    func `a success that can't be read may have been one`(_ body: String) {
        let error = #expect(throws: PushError.self) { try reply(200, body) }
        #expect(error?.code == .interrupted)
    }

    @Test(arguments: [
        "{}", #"{"status":"ok"}"#, #"{"status":"DONE"}"#, #"{"status":true}"#, "[]",
        #"{"responseObject":{"code":"OPERATION_EXPIRED"}}"#,
    ])
    func `a reply that says neither yes nor no may have been a success`(_ body: String) throws {
        let reply = try reply(200, body)
        #expect(!reply.isSuccess)
        // Such a code would decide something.
        #expect(reply.refusal == nil)
        #expect(reply.error.code == .interrupted)
        let error = #expect(throws: PushError.self) { try reply.value }
        #expect(error?.code == .interrupted)
    }

    @Test func `a hundred long operations are read`() throws {
        let text = String(repeating: "x", count: 10_000)
        let list = (0..<100).map { _ in "\"\(text)\"" }.joined(separator: ",")
        #expect(
            try reply(200, #"{"status":"OK","responseObject":[\#(list)]}"#).value.array?.count
                == 100)
    }

    @Test func `each tree of paths has its server, with the path before it`() async throws {
        let heard = HeardRequests()
        let transport = SimulatedTransport { request, _ in
            await heard.record(request)
            return (HTTPResponse(status: .ok), Data(#"{"status":"OK"}"#.utf8))
        }
        let simulator = PowerAuthSimulator()
        var configuration = try PowerAuthConfiguration(
            sdkConfiguration: await simulator.sdkConfiguration,
            enrollmentServer: Endpoint("https://a.example/enrollment-server/"),
            operationServer: Endpoint("https://b.example:8443"))
        configuration.acceptLanguage = "cs"
        let provider = PowerAuth(
            configuration: configuration,
            in: PushEnvironment(
                transport: transport, store: InMemoryStore(), verifier: Customer(),
                device: Device(name: "Phone")))
        _ = try await provider.channel.plain("/pa/v3/status")
        _ = try await provider.channel.post("/api/inbox/count", Data("{}".utf8))
        let requests = await heard.requests
        #expect(requests.map(\.authority) == ["a.example", "b.example:8443"])
        #expect(requests.map(\.path) == ["/enrollment-server/pa/v3/status", "/api/inbox/count"])
        #expect(requests.allSatisfy { $0.headerFields[.acceptLanguage] == "cs" })
        #expect(requests.allSatisfy { $0.headerFields[.contentType] == "application/json" })
        #expect(requests.allSatisfy { $0.method == .post && $0.scheme == "https" })
    }
}

private actor HeardRequests {
    private(set) var requests: [HTTPRequest] = []

    func record(_ request: HTTPRequest) { requests.append(request) }
}

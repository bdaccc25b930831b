import Foundation
import HTTPTypes
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// What stands before a bank's servers, and answers in their place when a test says so.
actor Gateway {
    typealias Call = PowerAuthSimulator.Call

    /// What it answers.
    struct Answer: Sendable, CustomTestStringConvertible {
        let status: Int
        let body: String
        let isJSON: Bool

        /// An answer that calls itself JSON if it begins as an object does.
        init(_ status: Int, _ body: String) {
            (self.status, self.body, isJSON) = (status, body, body.hasPrefix("{"))
        }

        /// An answer that calls itself JSON, whatever it is.
        init(json body: String) {
            (status, self.body, isJSON) = (200, body, true)
        }

        /// An answer that has the form of a success, and calls itself something else.
        init(page status: Int, _ body: String) {
            (self.status, self.body, isJSON) = (status, body, false)
        }

        init(_ reply: JSON) { self.init(json: String(decoding: reply.data, as: UTF8.self)) }

        var response: HTTPResponse {
            HTTPResponse(
                status: .init(code: status),
                headerFields: [.contentType: isJSON ? "application/json" : "text/html"])
        }

        var testDescription: String { "\(status) \(body.prefix(40))" }
    }

    private var answers: [String: Answer] = [:]
    private var gates: [String: Gate] = [:]

    /// How many requests it has kept from the servers.
    private(set) var kept = 0

    /// Answers a call from now on; `nil` lets it pass.
    func answer(_ call: Call, with answer: Answer?) { answers[call.rawValue] = answer }

    /// Keeps a call's requests waiting until a gate opens.
    func hold(_ call: Call, behind gate: Gate) { gates[call.rawValue] = gate }

    nonisolated func transport(
        to simulator: PowerAuthSimulator, faults: FaultPlan
    ) -> SimulatedTransport {
        SimulatedTransport(faults: faults) { request, body in
            let path = request.path ?? ""
            await self.gates[path]?.pass()
            if let answer = await self.take(path) {
                return (answer.response, Data(answer.body.utf8))
            }
            return await simulator.respond(to: request, body: body)
        }
    }

    private func take(_ path: String) -> Answer? {
        guard let answer = answers[path] else { return nil }
        kept += 1
        return answer
    }
}

extension Gateway.Answer {
    private static let page = "<html><body>No.</body></html>"
    private static let success = #"{"status":"OK"}"#

    /// What no server of the vendor's says: pages, nothing, JSON of another form, codes that aren't
    /// documented, and documented ones with another status.
    static let strangers: [Gateway.Answer] =
        [
            200, 204, 302, 400, 401, 403, 404, 405, 408, 409, 410, 418, 422, 429, 500, 502, 503,
            504,
        ].map { Gateway.Answer($0, page) }
        + [201, 202, 204, 206].map { Gateway.Answer($0, success) }
        + [Gateway.Answer(page: 200, success)]
        + [400, 401, 403, 404, 409, 503].flatMap { status in
            [
                Gateway.Answer(status, ""),
                Gateway.Answer(status, #"{"error":"forbidden","code":"INVALID_OPERATION"}"#),
                Gateway.Answer(status, #"{"status":"ERROR"}"#),
                Gateway.Answer(status, #"{"status":"ERROR","responseObject":{"code":"NEW"}}"#),
                Gateway.Answer(status, #"{"responseObject":{"code":"INVALID_REQUEST"}}"#),
            ]
        }
        + [
            (401, "INVALID_OPERATION"), (403, "INVALID_REQUEST"), (404, "OPERATION_EXPIRED"),
            (403, "POWERAUTH_AUTH_FAIL"), (400, "POWERAUTH_AUTH_FAIL"), (400, "ERROR_NOT_FOUND"),
            (410, "OPERATION_ALREADY_CANCELED"), (409, "OPERATION_ALREADY_FINISHED"),
            (422, "OPERATION_FAILED"), (200, "OPERATION_EXPIRED"),
        ].map { status, code in
            Gateway.Answer(
                status, #"{"status":"ERROR","responseObject":{"code":"\#(code)","message":"m"}}"#)
        }
}

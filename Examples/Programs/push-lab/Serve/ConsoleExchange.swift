import Foundation
import HTTPTypes

/// A device's request and what its vendor's server said, without anything that could be a secret.
struct ConsoleExchange: Sendable {
    /// What was asked and how it ended.
    let title: String

    /// Header fields and bodies, as `demo --verbose` shows them.
    let text: String

    /// Of each, more isn't kept: anybody may send a request.
    private static let limit = 4096

    init(
        _ request: HTTPRequest, _ body: Data,
        _ reply: (response: HTTPResponse, body: Data)
    ) {
        let path = (request.path ?? "").prefix { $0 != "?" }.prefix(200)
        let status = reply.response.status.code
        title = "\(request.method) \(path) → \(status)"
        let lines =
            ["→ \(request.method) \(path)"] + ExchangeLog.lines(request.headerFields, body)
            + ["← \(status)"] + ExchangeLog.lines(reply.response.headerFields, reply.body)
        text = lines.map { $0.count > Self.limit ? $0.prefix(Self.limit) + "…" : $0 }
            .joined(separator: "\n")
    }
}

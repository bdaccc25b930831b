import Foundation
import HTTPTypes
import PushCore
import TerminalIO

/// Writes HTTP exchanges for people, without anything that could be a secret.
struct ExchangeLog: Sendable {
    private let isVisible: Bool

    init(isVisible: Bool) {
        self.isVisible = isVisible
    }

    func write(_ text: String) {
        guard isVisible else { return }
        Terminal.error.write(text + "\n")
    }

    func write(_ request: HTTPRequest, _ body: Data) {
        let target = "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")"
        write("→ \(request.method) \(target)")
        for line in Self.lines(request.headerFields, body) { write(line) }
    }

    func write(_ response: HTTPResponse, _ body: Data) {
        write("← \(response.status.code)")
        for line in Self.lines(response.headerFields, body) { write(line) }
    }

    /// A message's header fields and body, a line each, without anything that could be a secret.
    static func lines(_ headers: HTTPFields, _ body: Data) -> [String] {
        var lines = headers.map { field in
            let isShown = shown.contains(field.name)
            return "  \(field.name): \(isShown ? field.value : size(field.value.utf8.count))"
        }
        guard !body.isEmpty else { return lines }
        let shape = (try? JSON(parsing: body)).map { redacted($0).text }
        lines.append("  \(shape ?? size(body.count))")
        return lines
    }

    private static let shown: Set<HTTPField.Name> = [
        .accept, .contentType, .contentLength, .date, .server,
    ]

    private static func size(_ count: Int) -> String { "<\(count) bytes>" }

    /// The shape of a value: every string becomes its length.
    private static func redacted(_ value: JSON) -> JSON {
        switch value {
        case .string(let text): .string(size(text.utf8.count))
        case .array(let elements): .array(elements.map(redacted))
        case .object(let object):
            .object(JSON.Object(object.members.map { ($0.name, redacted($0.value)) }))
        default: value
        }
    }
}

/// Passes exchanges through, and logs them.
struct LoggedTransport: Transport {
    let transport: any Transport
    let log: ExchangeLog

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        log.write(request, body)
        do throws(PushError) {
            let reply = try await transport.send(request, body: body)
            log.write(reply.response, reply.body)
            return reply
        } catch {
            log.write("✗ \(error.code): \(error.reason)")
            throw error
        }
    }
}

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
        write(request.headerFields, body)
    }

    func write(_ response: HTTPResponse, _ body: Data) {
        write("← \(response.status.code)")
        write(response.headerFields, body)
    }

    private func write(_ headers: HTTPFields, _ body: Data) {
        for field in headers {
            let isShown = Self.shown.contains(field.name)
            write("  \(field.name): \(isShown ? field.value : Self.size(field.value.utf8.count))")
        }
        guard !body.isEmpty else { return }
        let shape = (try? JSON(parsing: body)).map { Self.redacted($0).text }
        write("  \(shape ?? Self.size(body.count))")
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

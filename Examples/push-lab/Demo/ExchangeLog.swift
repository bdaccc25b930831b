import Foundation
import HTTPTypes
import PushCore

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
        write("← \(response.status)")
        write(response.headerFields, body)
    }

    private func write(_ headers: HTTPFields, _ body: Data) {
        for field in headers {
            write("  \(field.name): \(Self.shown.contains(field.name) ? field.value : "<\(field.value.utf8.count) bytes>")")
        }
        guard !body.isEmpty else { return }
        write("  " + ((try? JSON(parsing: body)).map { Self.redacted($0).text } ?? "<\(body.count) bytes>"))
    }

    private static let shown: Set<HTTPField.Name> = [
        .accept, .contentType, .contentLength, .date, .server,
    ]

    /// The shape of a value: every string becomes its length.
    private static func redacted(_ value: JSON) -> JSON {
        switch value {
        case .string(let text): .string("<\(text.utf8.count) bytes>")
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

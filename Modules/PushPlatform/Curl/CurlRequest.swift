#if os(Linux)
import Glibc
import HTTPTypes
import PushCore
import PushTransportRules

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A checked request, as libcurl wants to be told of it.
struct CurlRequest: Sendable {
    let destination: RequestRules.Destination
    let method: HTTPRequest.Method
    let lines: [[CChar]]
    let body: CurlBody
    let configuration: CurlTransport.Configuration

    /// One of which the server's chain must have; empty if any will do.
    let pins: Set<ServerPin>

    init(
        _ request: HTTPRequest, body: Data, configuration: CurlTransport.Configuration
    ) throws(PushError) {
        destination = try RequestRules.destination(
            of: request, bodySize: body.count, plainHTTP: configuration.plainHTTP)
        pins = try configuration.pins.pins(for: destination)
        method = request.method
        lines = Self.lines(for: request.headerFields)
        self.body = CurlBody(body)
        self.configuration = configuration
    }

    /// Whether repeating the request asks for nothing to be done (RFC 9110, section 9.2.1).
    var isSafe: Bool {
        [.get, .head, .options, .trace].contains(method)
    }

    /// The fields as C strings, in order; then the fields libcurl would add, each switched off.
    private static func lines(for fields: HTTPFields) -> [[CChar]] {
        var lines: [[CChar]] = []
        for field in fields where field.name != .contentLength {
            let value = field.withUnsafeBytesOfValue { $0.map { CChar(bitPattern: $0) } }
            // libcurl reads a name and a colon alone as "leave this field out".
            let separator = value.isEmpty ? ";" : ": "
            lines.append((field.name.rawName + separator).utf8.map { CChar(bitPattern: $0) })
            lines[lines.count - 1] += value + [0]
        }
        let added: [HTTPField.Name] = [.accept, .contentType, .expect, .userAgent]
        for name in added where !fields.contains(name) {
            lines.append("\(name.rawName):".utf8.map { CChar(bitPattern: $0) } + [0])
        }
        return lines
    }
}

/// A copy of a request's body at an address that stays, zeroed when it is released.
///
/// Written by its initializer alone, before it is shared: that is why `@unchecked Sendable` is safe.
final class CurlBody: @unchecked Sendable {
    /// Never nil, also for an empty body: libcurl would take nil as "read the body from stdin".
    let start: UnsafeMutableRawPointer
    let count: Int

    init(_ body: Data) {
        start = .allocate(byteCount: max(1, body.count), alignment: 1)
        count = body.count
        UnsafeMutableRawBufferPointer(start: start, count: count).copyBytes(from: body)
    }

    deinit {
        explicit_bzero(start, count)
        start.deallocate()
    }
}
#endif

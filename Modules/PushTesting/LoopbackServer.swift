// Threads and locks: FoundationEssentials has neither.
package import Foundation
package import HTTPTypes

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A server whose every byte a test decides: one thread per connection runs the test's script.
package final class LoopbackServer: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let journal: Journal

    package init(_ script: @escaping @Sendable (LoopbackConnection) -> Void) throws {
        let listener = try Self.listen()
        let journal = Journal()
        self.listener = listener
        self.journal = journal
        port = try Self.port(of: listener)
        Thread.detachNewThread {
            // Closed here alone: were it closed elsewhere, the next accept could find another
            // server's listener under the same number.
            defer { _ = systemClose(listener) }
            while true {
                let socket = accept(listener, nil, nil)
                if socket < 0, errno == EINVAL { return }
                guard socket >= 0 else { continue }
                let number = journal.addConnection()
                Thread.detachNewThread {
                    let connection = LoopbackConnection(socket, number: number, journal: journal)
                    script(connection)
                    connection.close()
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    package var authority: String { "127.0.0.1:\(port)" }
    package var connectionCount: Int { journal.connectionCount }
    package var requests: [LoopbackRequest] { journal.requests }

    /// A port of this machine at which nobody listens.
    package static func deafPort() throws -> UInt16 {
        let listener = try listen()
        defer { close(listener) }
        return try port(of: listener)
    }

    private static func listen() throws -> Int32 {
        #if os(Linux)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard listener >= 0, bound == 0, systemListen(listener, 128) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        return listener
    }

    private static func port(of listener: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(listener, $0, &size)
            }
        }
        guard named == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// One request as it came over the wire.
package struct LoopbackRequest: Sendable {
    /// The request line and the fields, as they came.
    package let lines: [String]
    package let body: Data

    package var requestLine: String { lines.first ?? "" }

    /// The values of a field, compared without case.
    package func values(of name: String) -> [String] {
        lines.dropFirst().compactMap { line in
            guard line.lowercased().hasPrefix(name.lowercased() + ":") else { return nil }
            return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }
    }
}

/// One accepted connection, read and written with blocking calls on the thread of its script.
package final class LoopbackConnection {
    /// Which connection of its server it is; the first is 1.
    package let number: Int
    private let socket: Int32
    private let journal: Journal
    private var unread = Data()
    private var isClosed = false

    fileprivate init(_ socket: Int32, number: Int, journal: Journal) {
        self.socket = socket
        self.number = number
        self.journal = journal
    }

    /// Reads a request; nil if the client hung up before it was complete.
    package func readRequest() -> LoopbackRequest? {
        while true {
            if let end = unread.range(of: Data("\r\n\r\n".utf8)) {
                let head = String(decoding: unread[..<end.lowerBound], as: UTF8.self)
                let draft = LoopbackRequest(
                    lines: head.components(separatedBy: "\r\n"), body: Data())
                let size = draft.values(of: "content-length").first.flatMap { Int($0) } ?? 0
                if unread[end.upperBound...].count >= size {
                    let body = Data(unread[end.upperBound...].prefix(size))
                    unread = Data(unread[end.upperBound...].dropFirst(size))
                    let request = LoopbackRequest(lines: draft.lines, body: body)
                    journal.add(request)
                    return request
                }
            }
            guard readMore() else { return nil }
        }
    }

    package func write(_ text: String) {
        write(Data(text.utf8))
    }

    package func write(_ bytes: Data) {
        #if os(Linux)
        let flags = Int32(MSG_NOSIGNAL)
        #else
        let flags: Int32 = 0
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Answers with a length, and keeps the connection.
    package func reply(_ status: Int = 200, fields: [String] = [], body: String = "") {
        let lines = ["HTTP/1.1 \(status) Any", "Content-Length: \(body.utf8.count)"] + fields
        write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }

    /// Waits until the client hangs up.
    package func awaitHangUp() {
        while readMore() {}
    }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        _ = systemClose(socket)
    }

    private func readMore() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        unread.append(contentsOf: chunk[..<count])
        return true
    }
}

/// What a server saw; a lock guards both, which is why `@unchecked Sendable` is safe.
private final class Journal: @unchecked Sendable {
    private let lock = NSLock()
    private var connections = 0
    private var seen: [LoopbackRequest] = []

    var connectionCount: Int { lock.withLock { connections } }
    var requests: [LoopbackRequest] { lock.withLock { seen } }

    func addConnection() -> Int {
        lock.withLock {
            connections += 1
            return connections
        }
    }

    func add(_ request: LoopbackRequest) {
        lock.withLock { seen.append(request) }
    }
}

/// Something that happens once, and can be waited for.
package struct Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    package func happen() {
        continuation.finish()
    }

    package func wait() async {
        for await _ in stream {}
    }

    /// Whether it happens in time.
    package func happens(within limit: Duration) async -> Bool {
        await withTaskGroup { group in
            group.addTask {
                await wait()
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            let isFirst = await group.next() ?? false
            group.cancelAll()
            return isFirst
        }
    }
}

private func systemListen(_ socket: Int32, _ backlog: Int32) -> Int32 { listen(socket, backlog) }
private func systemClose(_ socket: Int32) -> Int32 { close(socket) }

extension HTTPRequest {
    package static func get(_ server: LoopbackServer, path: String = "/") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: path)
    }

    package static func post(_ server: LoopbackServer, path: String = "/") -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "http", authority: server.authority, path: path)
    }
}

extension HTTPField.Name {
    /// A name that is known to be a token.
    package static func custom(_ name: String) -> HTTPField.Name {
        HTTPField.Name(name) ?? .accept
    }
}

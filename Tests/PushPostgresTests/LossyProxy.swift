#if os(Linux)
import Foundation
import Glibc

/// Stands between a store and its server, and loses words of either.
///
/// Of the server it loses what the server says after it has acted; of the store it loses nothing, but the
/// store may be gone before the server acts. Its socket is read by its own threads alone.
final class LossyProxy: Sendable {
    /// What becomes of what a client has sent.
    enum Fate: Sendable {
        /// It arrives, and so does the reply.
        case passes
        /// It arrives, the server acts, and its reply is lost with the connection.
        case losesReply
        /// It arrives, and the connection breaks at once, whether or not the server has acted.
        case breaks
        /// It arrives, and nothing comes back for as long as the connection lasts.
        case hangs
    }

    let port: UInt16
    private let listener: Int32
    private let server: UInt16
    private let fate: @Sendable () -> Fate

    /// Listens on loopback.
    ///
    /// - Parameters:
    ///   - server: The port of the server.
    ///   - fate: Asked for each piece that a client sends.
    /// - Throws: What the system says if there is no port.
    init(to server: UInt16, _ fate: @escaping @Sendable () -> Fate) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        self.listener = listener
        self.server = server
        self.fate = fate
        let connect = self.connect
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                if client < 0, errno != EINTR { return }
                guard client >= 0 else { continue }
                Thread.detachNewThread {
                    connect(client)
                    close(client)
                }
            }
        }
    }

    /// Takes no more connections.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }

    private func connect(_ client: Int32) {
        let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(upstream) }
        var address = Self.loopback(server)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return }
        var one: Int32 = 1
        for end in [client, upstream] {
            _ = setsockopt(
                end, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        var ends = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: upstream, events: Int16(POLLIN), revents: 0),
        ]
        var last = Fate.passes
        while poll(&ends, 2, -1) >= 0 {
            if ends[0].revents != 0 {
                guard let bytes = Self.read(client), Self.write(bytes, to: upstream) else { return }
                if case .passes = last { last = fate() }
                if case .breaks = last { return }
            }
            if ends[1].revents != 0 {
                guard let bytes = Self.read(upstream) else { return }
                switch last {
                case .passes: guard Self.write(bytes, to: client) else { return }
                case .losesReply, .breaks: return
                case .hangs: break
                }
            }
        }
    }

    private static func read(_ socket: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &chunk, chunk.count, 0)
        return count > 0 ? Array(chunk[..<count]) : nil
    }

    private static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
#endif

import Foundation
import LocalServer
import Testing

@Suite struct StoppingTests {
    @Test func `a server can be stopped while clients connect`() async throws {
        for wire in [
            LocalServer.Wire.plain, .secure(try Self.identity()), .modern(try Self.identity()),
        ] {
            for _ in 0..<60 {
                let server = try await LocalServer.start(wire) { _, _ in nil }
                let port = server.port
                let clients = Task {
                    await withTaskGroup { group in
                        for _ in 0..<12 {
                            group.addTask { await Self.connect(to: port) }
                        }
                    }
                }
                await Task.yield()
                await server.stop()
                await clients.value
            }
        }
    }

    private static func identity() throws -> LocalIdentity {
        try LocalAuthority().identity()
    }

    @concurrent
    private static func connect(to port: Int) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                LoopbackSocket.open(port)
                continuation.resume()
            }
        }
    }
}

private enum LoopbackSocket {
    static func open(_ port: Int) {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        _ = withUnsafeBytes(of: &address) { bytes in
            connect(
                descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count))
        }
    }
}

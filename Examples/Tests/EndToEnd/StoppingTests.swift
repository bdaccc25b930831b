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
                if let descriptor = LoopbackSocket.connect(to: port) { close(descriptor) }
                continuation.resume()
            }
        }
    }
}

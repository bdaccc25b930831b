import Foundation
import NIOCore
import NIOSSL

/// What answers the requests of each connection that is open; a lock guards it, which is why
/// `@unchecked Sendable` is safe.
final class ConnectionHandlers: @unchecked Sendable {
    private let lock = NSLock()
    private var handlers: [ObjectIdentifier: LocalServer.Handler] = [:]
    private var requests: [ObjectIdentifier: Int] = [:]
    private let greeting: LocalServer.Greeting
    private let asksForCertificate: Bool

    private let gate: ConnectionGate

    init(
        _ greeting: @escaping LocalServer.Greeting, asksForCertificate: Bool, gate: ConnectionGate
    ) {
        self.greeting = greeting
        self.gate = gate
        self.asksForCertificate = asksForCertificate
    }

    /// The same for each request of a connection.
    func handler(of connection: any Channel) async throws -> LocalServer.Handler {
        if let known = lock.withLock({ handlers[ObjectIdentifier(connection)] }) { return known }
        let certificate =
            asksForCertificate ? try await connection.nioSSL_peerCertificate().get() : nil
        let peer = LocalPeer(
            certificate: certificate.map(ClientCertificate.init),
            // The closure holds the connection, whose identifier is nobody else's so long.
            acceptCredential: { [gate] in gate.prove(ObjectIdentifier(connection)) })
        let new = await greeting(peer)
        let handler = keep(new, of: connection)
        // The closure holds the connection: until then, nothing else can have its identifier.
        connection.closeFuture.whenComplete { [self] _ in forget(connection) }
        return handler
    }

    /// - Returns: How many requests of a connection were counted, with this one.
    func count(_ connection: any Channel) -> Int {
        let (id, count) = lock.withLock {
            let id = ObjectIdentifier(connection)
            requests[id, default: 0] += 1
            return (id, requests[id] ?? 1)
        }
        // The closure holds the connection, as below.
        if count == 1 {
            connection.closeFuture.whenComplete { [self] _ in
                _ = connection
                lock.withLock { _ = requests.removeValue(forKey: id) }
            }
        }
        return count
    }

    /// Of two requests that came at once, the first counts.
    private func keep(
        _ new: @escaping LocalServer.Handler, of connection: any Channel
    ) -> LocalServer.Handler {
        lock.withLock {
            if let known = handlers[ObjectIdentifier(connection)] { return known }
            handlers[ObjectIdentifier(connection)] = new
            return new
        }
    }

    private func forget(_ connection: any Channel) {
        lock.withLock { _ = handlers.removeValue(forKey: ObjectIdentifier(connection)) }
    }
}

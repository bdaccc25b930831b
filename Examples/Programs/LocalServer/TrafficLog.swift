import Foundation
import Hummingbird
import HummingbirdHTTP2
import NIOCore

/// Counts what came in; a lock guards it, which is why `@unchecked Sendable` is safe.
final class TrafficLog: @unchecked Sendable {
    private let lock = NSLock()
    private var counts = LocalTraffic()
    private var peerPorts: Set<Int> = []

    var traffic: LocalTraffic { lock.withLock { counts } }

    /// Counts a request; on one machine, a connection is known by its client's port.
    func add(peerPort: Int, isHTTP2: Bool) {
        lock.withLock {
            if peerPorts.insert(peerPort).inserted { counts.connections += 1 }
            if isHTTP2 { counts.http2Requests += 1 } else { counts.http1Requests += 1 }
        }
    }
}

/// What the server remembers of the connection that a request came over.
struct LocalContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel
    /// What carries the channel, or it itself.
    let connection: any Channel
    let peerPort: Int
    let isHTTP2: Bool

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        peerPort = source.channel.remoteAddress?.port ?? 0
        // A stream of HTTP/2 has its connection above it, and the listener above that.
        let parent = source.channel.parent
        isHTTP2 = parent?.parent != nil
        connection = isHTTP2 ? parent ?? source.channel : source.channel
    }
}

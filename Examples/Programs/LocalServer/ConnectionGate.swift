import Foundation
import HummingbirdCore
import NIOCore

/// Keeps as many connections as a process can bear.
///
/// At the limit, the connection that is there for longest without an accepted credential is closed for
/// the next one. A client that never proves anything can't keep its place by sending, whatever it sends;
/// an honest one proves itself in its first request. No rule goes by addresses: behind a balancer, all
/// clients have one.
///
/// One is shared by all servers of a process. A lock guards what changes, which is why
/// `@unchecked Sendable` is safe.
public final class ConnectionGate: @unchecked Sendable {
    /// What it keeps.
    public let limits: ConnectionLimits

    private struct Entry {
        let number: UInt64
        let connection: Connection
        /// How many requests that came whole are being answered.
        var answering = 0
        var streams = 0
        var idleSince = NIODeadline.now()
    }

    /// What can be done to a connection, from any thread.
    struct Connection: Sendable {
        let id: ObjectIdentifier
        /// Closes it at once.
        let close: @Sendable () -> Void
        /// Ends it once it has nothing to do.
        let end: @Sendable () -> Void
    }

    private let lock = NSLock()
    private var unproved: [ObjectIdentifier: Entry] = [:]
    private var proved: [ObjectIdentifier: Entry] = [:]
    private var unprovedStreams = 0
    private var streams = 0
    private var nextNumber: UInt64 = 0
    private var open = 0
    private var closedForOthers = 0

    /// Creates a gate that is open.
    ///
    /// - Parameter limits: What it keeps.
    public init(_ limits: ConnectionLimits) {
        self.limits = limits
    }

    /// How many connections there are now.
    public var load: ConnectionLoad {
        lock.withLock {
            ConnectionLoad(
                open: open, unproved: unproved.count, closedForOthers: closedForOthers,
                isNearLimit: unproved.count >= limits.unproved - limits.unproved / 10
                    || proved.count >= limits.proved - limits.proved / 10)
        }
    }

    // MARK: Connections

    /// Lets a connection in.
    func admit(_ connection: Connection) {
        let leaving = lock.withLock { () -> Connection? in
            nextNumber += 1
            unproved[connection.id] = Entry(number: nextNumber, connection: connection)
            guard unproved.count > limits.unproved else { return nil }
            return removeOldest { _ in true }
        }
        leaving?.close()
    }

    /// Notes that a credential was accepted on a connection.
    func prove(_ id: ObjectIdentifier) {
        let leaving = lock.withLock { () -> Connection? in
            guard let entry = unproved[id] else { return nil }
            var leaving: Connection?
            if proved.count >= limits.proved {
                let idle = proved.filter { $0.value.answering == 0 && $0.value.streams == 0 }
                // None is idle: then this one goes on as it came.
                guard let oldest = idle.min(by: { $0.value.idleSince < $1.value.idleSince })
                else { return nil }
                proved[oldest.key] = nil
                closedForOthers += 1
                leaving = oldest.value.connection
            }
            unproved[id] = nil
            unprovedStreams -= entry.streams
            proved[id] = entry
            return leaving
        }
        leaving?.end()
    }

    /// Notes that a request came whole.
    func begin(_ id: ObjectIdentifier) { change(id) { $0.answering += 1 } }

    /// Notes that a request was answered.
    func end(_ id: ObjectIdentifier) {
        change(id) {
            $0.answering -= 1
            $0.idleSince = .now()
        }
    }

    func forget(_ id: ObjectIdentifier) {
        lock.withLock {
            guard let entry = unproved.removeValue(forKey: id) else {
                streams -= proved.removeValue(forKey: id)?.streams ?? 0
                return
            }
            streams -= entry.streams
            unprovedStreams -= entry.streams
        }
    }

    /// How long a connection that has proved nothing may still be idle; `nil` for any other.
    func rest(of patience: TimeAmount, for id: ObjectIdentifier) -> TimeAmount? {
        lock.withLock {
            guard let entry = unproved[id] else { return nil }
            guard entry.answering == 0 else { return patience }
            return entry.idleSince + patience - .now()
        }
    }

    // MARK: Streams

    /// Lets a stream in, if there is room. Streams of the connection that is there for longest without
    /// an accepted credential make room for it.
    func takeStream(of id: ObjectIdentifier) -> Bool {
        let (isTaken, leaving) = lock.withLock { () -> (Bool, Connection?) in
            guard let entry = unproved[id] ?? proved[id], streams < limits.streams,
                entry.streams < ConnectionLimits.streamsPerConnection
            else { return (false, nil) }
            var leaving: Connection?
            if unproved[id] != nil, unprovedStreams >= limits.unprovedStreams {
                leaving = removeOldest { $0.streams > 0 && $0.connection.id != id }
                guard leaving != nil else { return (false, nil) }
            }
            streams += 1
            if unproved[id] != nil { unprovedStreams += 1 }
            update(id) { $0.streams += 1 }
            return (true, leaving)
        }
        leaving?.close()
        return isTaken
    }

    func releaseStream(of id: ObjectIdentifier) {
        lock.withLock {
            // What left took its streams with it.
            guard let entry = unproved[id] ?? proved[id], entry.streams > 0 else { return }
            streams -= 1
            if unproved[id] != nil { unprovedStreams -= 1 }
            update(id) { $0.streams -= 1 }
        }
    }

    // MARK: Under the lock

    private func change(_ id: ObjectIdentifier, _ body: (inout Entry) -> Void) {
        lock.withLock { update(id, body) }
    }

    private func update(_ id: ObjectIdentifier, _ body: (inout Entry) -> Void) {
        if var entry = unproved[id] {
            body(&entry)
            unproved[id] = entry
        } else if var entry = proved[id] {
            body(&entry)
            proved[id] = entry
        }
    }

    /// One whose request is being answered goes last.
    private func removeOldest(where isEligible: (Entry) -> Bool) -> Connection? {
        let eligible = unproved.values.filter(isEligible)
        let waiting = eligible.filter { $0.answering == 0 }
        guard
            let oldest = (waiting.isEmpty ? eligible : waiting).min(by: { $0.number < $1.number })
        else { return nil }
        unproved[oldest.connection.id] = nil
        unprovedStreams -= oldest.streams
        streams -= oldest.streams
        closedForOthers += 1
        return oldest.connection
    }
}

extension ConnectionGate {
    /// Keeps a listener from accepting more connections than there are descriptors, while those that
    /// must go are being closed. It never waits for another listener's connections.
    final class Listener: AvailableConnectionsDelegate, @unchecked Sendable {
        private let gate: ConnectionGate
        private var own = 0

        init(_ gate: ConnectionGate) {
            self.gate = gate
        }

        func connectionOpened() { count(1) }

        func connectionClosed() { count(-1) }

        func isAcceptingNewConnections() -> Bool {
            gate.lock.withLock {
                let kept = gate.limits.proved + gate.limits.unproved
                return own == 0 || gate.open < kept + max(kept / 10, 16)
            }
        }

        private func count(_ change: Int) {
            gate.lock.withLock {
                own += change
                gate.open += change
            }
        }
    }
}

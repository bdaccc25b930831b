import Crypto
import PushCore
import PushOneSpan

/// One run of a workflow, in memory.
struct Flow: Sendable {
    /// 16 random bytes, never those of another flow.
    let id: [UInt8]
    var work: Work

    /// What was sent and not answered.
    var outstanding: SentCommand?

    /// When the time that the server gave is over, by the monotonic clock.
    var deadline: Duration?

    /// Digests of the replies that it took.
    var takenReplies: Set<[UInt8]> = []

    /// How often the counter was behind the server's. A reply doesn't set it back: a session that is
    /// fetched again after each refused answer would go round for ever.
    var recoveries = 0

    var name: FlowID { FlowID(id.hexName) }

    /// A command on its way.
    struct SentCommand: Sendable {
        let command: [UInt8]
        let reply: CommandType
        let counter: UInt64

        /// When these bytes were first handed out, by the monotonic clock.
        var sent = Duration.zero
    }

    /// Where a workflow is.
    enum Work: Sendable {
        case activation(ActivationWork)
        case registration(deviceID: [UInt8], identifier: String)
        case remote(RemoteWork)
        case password(PasswordWork)
    }

    /// What the server asks; `nil` in a workflow that this device began.
    var kind: RequestKind? {
        guard case .remote(let work) = work else { return nil }
        return work.isTransaction ? .transaction : .authentication
    }

    /// The device; `nil` while an activation has none.
    var deviceID: [UInt8]? {
        switch work {
        case .activation(let work): work.deviceID
        case .registration(let deviceID, _): deviceID
        case .remote(let work): work.deviceID
        case .password(let work): work.deviceID
        }
    }

    /// Whether what is on its way may have changed something at the server, so that only the
    /// server's word ends it.
    var isDecided: Bool {
        switch work {
        case .activation, .registration: false
        case .remote(let work): work.stage == .answering
        case .password(let work): work.stage == .changing || work.stage == .repeating
        }
    }
}

/// The flows that an engine has open.
struct Flows: Sendable {
    private let limit: Int

    /// The oldest first.
    private(set) var running: [Flow] = []
    private var busy: Set<FlowID> = []

    /// Creates room for as many flows.
    init(limit: Int) { self.limit = limit }

    subscript(name: FlowID) -> Flow? { running.first { $0.name == name } }

    /// Adds a flow as the newest.
    ///
    /// One more than fit displaces the oldest, but none that is worked on, and one that only the
    /// server can end last.
    mutating func add(_ flow: Flow) {
        running.removeAll { $0.id == flow.id }
        if running.count >= limit {
            let idle = running.filter { !busy.contains($0.name) }
            if let oldest = idle.first(where: { !$0.isDecided }) ?? idle.first {
                remove(oldest.name)
            }
        }
        running.append(flow)
    }

    mutating func remove(_ name: FlowID) { running.removeAll { $0.name == name } }

    // MARK: Work

    /// Whether a flow is worked on.
    func isBusy(_ name: FlowID) -> Bool { busy.contains(name) }

    /// Begins to work on a flow.
    ///
    /// - Returns: Whether nobody else does.
    mutating func begin(_ name: FlowID) -> Bool { busy.insert(name).inserted }

    /// Ends the work on a flow.
    mutating func end(_ name: FlowID) { busy.remove(name) }
}

import PushOneSpan

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

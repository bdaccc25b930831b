/// Holds whoever comes until it is opened or they are cancelled, and says when somebody came.
actor Gate {
    private var isOpen = false
    private var hasArrival = false
    private var held: [Int: CheckedContinuation<Void, Never>] = [:]
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private var count = 0

    func pass() async {
        hasArrival = true
        for watcher in watchers { watcher.resume() }
        watchers = []
        guard !isOpen else { return }
        count += 1
        let name = count
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume() }
                held[name] = continuation
            }
        } onCancel: {
            Task { await self.release(name) }
        }
    }

    private func release(_ name: Int) { held.removeValue(forKey: name)?.resume() }

    /// Returns once somebody has come.
    func arrival() async {
        guard !hasArrival else { return }
        await withCheckedContinuation { watchers.append($0) }
    }

    func open() {
        isOpen = true
        for continuation in held.values { continuation.resume() }
        held = [:]
    }
}

/// How many may do something at the same time; the others wait in order.
actor Slots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// What ``begin(for:_:)`` began that still has its slot.
    private var begun: Set<Int> = []
    private var lastNumber = 0

    init(_ count: Int) {
        free = count
    }

    /// Returns once there is a slot, which is the caller's until it calls ``leave()``.
    func enter() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }

    /// Begins something once there is a slot, and returns then.
    ///
    /// - Parameters:
    ///   - patience: For how long it has the slot at most; it goes on without one. So a vendor that never
    ///     answers doesn't keep what concerns others from beginning.
    ///   - body: What is done.
    func begin(
        for patience: Duration = .seconds(5), _ body: @escaping @Sendable () async -> Void
    ) async {
        await enter()
        lastNumber += 1
        let number = lastNumber
        begun.insert(number)
        let limit = Task {
            try await Task.sleep(for: patience)
            end(number)
        }
        Task {
            await body()
            limit.cancel()
            end(number)
        }
    }

    private func end(_ number: Int) {
        guard begun.remove(number) != nil else { return }
        leave()
    }
}

import PushCore
import Testing

/// Something that runs, and whether it is done.
actor Watch {
    private(set) var error: PushError?
    private(set) var isDone = false

    private var watchers: [Int: CheckedContinuation<Void, Never>] = [:]
    private var last = 0

    private func end(_ error: PushError?) {
        (isDone, self.error) = (true, error)
        for name in watchers.keys { release(name) }
    }

    private func release(_ name: Int) { watchers.removeValue(forKey: name)?.resume() }

    /// Returns once it is done.
    func end() async {
        guard !isDone else { return }
        last += 1
        await withCheckedContinuation { watchers[last] = $0 }
    }

    /// Starts something.
    nonisolated func run(_ body: @escaping @Sendable () async throws -> Void) {
        Task {
            do {
                try await body()
                await end(nil)
            } catch {
                await end(error as? PushError)
            }
        }
    }

    /// Whether it is done without any help from outside; it has half a minute, as the machine may
    /// be busy.
    func settles() async -> Bool {
        guard !isDone else { return true }
        last += 1
        let name = last
        let limit = Task {
            try? await Task.sleep(for: .seconds(30))
            release(name)
        }
        await withCheckedContinuation { watchers[name] = $0 }
        limit.cancel()
        return isDone
    }
}

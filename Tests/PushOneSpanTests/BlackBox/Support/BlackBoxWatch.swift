import PushCore
import Testing

extension BlackBox {
    /// Something that runs, and whether it is done.
    actor Watch {
        private(set) var error: PushError?
        private(set) var isDone = false

        private func end(_ error: PushError?) { (isDone, self.error) = (true, error) }

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
            let end = ContinuousClock.now + .seconds(30)
            while !isDone, ContinuousClock.now < end { await Task.yield() }
            return isDone
        }
    }
}

import PushCore
import Testing

extension FromSheet {
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

        /// Whether it is done soon, without any help from outside.
        func settles() async -> Bool {
            for _ in 0..<5_000 where !isDone { await Task.yield() }
            return isDone
        }
    }
}

/// Who may go next: one holder for each key at a time, the others wait in order.
struct Turns<Key: Hashable & Sendable> {
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    /// Takes a free turn; `false` if it is held.
    mutating func take(_ key: Key) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    /// Waits for a held turn; the continuation resumes as its holder.
    mutating func wait(for key: Key, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[key, default: []].append(continuation)
    }

    /// Ends a turn, and hands it to whoever waits longest.
    mutating func end(_ key: Key) {
        guard var queue = waiting[key], !queue.isEmpty else {
            waiting[key] = nil
            return
        }
        let next = queue.removeFirst()
        waiting[key] = queue
        next.resume()
    }
}

/// Whose turn it is at each vendor, and who waits for it.
struct ConsoleTurns {
    /// By vendor; a vendor without an entry is free.
    private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

    /// - Returns: Whether it was free, and now is the caller's.
    mutating func take(_ vendor: String) -> Bool {
        guard waiting[vendor] == nil else { return false }
        waiting[vendor] = []
        return true
    }

    mutating func queue(_ vendor: String, _ next: CheckedContinuation<Void, Never>) {
        waiting[vendor]?.append(next)
    }

    /// Hands the turn to whoever waits longest.
    mutating func leave(_ vendor: String) {
        if waiting[vendor]?.isEmpty == false {
            waiting[vendor]?.removeFirst().resume()
        } else {
            waiting[vendor] = nil
        }
    }
}

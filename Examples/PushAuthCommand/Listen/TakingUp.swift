import PushCore

/// What a process does for a device that another one left.
extension Listener {
    /// Whether nothing is on its way. What waits for a person needs nobody here.
    func isIdle() async -> Bool {
        guard answering == 0 else { return false }
        guard !waiting.isEmpty else { return true }
        guard let records = try? await session.authenticator.unfinishedRecords() else {
            return false
        }
        return !records.contains { if case .decided = $0.state { true } else { false } }
    }

    /// Sends what was decided. No vendor is asked what else waits.
    ///
    /// - Parameter judges: Whether what is open is judged as well.
    func takeUp(judging judges: Bool) async {
        await resume()
        do {
            for record in try await session.authenticator.unfinishedRecords() {
                switch record.state {
                case .open where judges: await judge(record.id)
                // What a living process sends is left to it for a while.
                case .decided: waiting.insert(record.id)
                default: break
                }
            }
        } catch {
            await tell(error)
        }
    }

    /// Tells of a failure that ends nothing.
    func tell(_ error: any Error, of enrollment: Enrollment.ID? = nil) async {
        await show(.failed(Failure(error), of: enrollment))
    }
}

import PushCore

/// What a process does for a device that another one left.
extension Listener {
    /// Whether nothing waits for a person or for a vendor's word.
    var isIdle: Bool { waiting.isEmpty && answering == 0 }

    /// Sends what was decided, and judges what is open. No vendor is asked what else waits.
    func takeUp() async {
        await resume()
        do {
            for record in try await session.authenticator.unfinishedRecords() {
                switch record.state {
                case .open: await judge(record.id)
                // What a living process sends is left to it for a while.
                case .decided: waiting.insert(record.id)
                default: break
                }
            }
        } catch {
            await show(.failed(Failure(error)))
        }
    }
}

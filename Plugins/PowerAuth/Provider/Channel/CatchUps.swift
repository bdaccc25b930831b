import PushCore

/// The signatures by which servers were to follow, and of which nobody knows whether they arrived.
///
/// One that failed is sent again as it was: a new one would use up another of the few values that the
/// server still tries, and they end just when it can't be reached.
actor CatchUps {
    struct Attempt: Sendable {
        let header: String
        /// The byte that the server's counter has, or has passed, once it took this one.
        let byte: UInt8
    }

    private var attempts: [Enrollment.ID: Attempt] = [:]

    func attempt(of id: Enrollment.ID) -> Attempt? { attempts[id] }

    func note(_ attempt: Attempt, of id: Enrollment.ID) { attempts[id] = attempt }

    /// Forgets it once the server has taken or refused it.
    func forget(_ id: Enrollment.ID) { attempts[id] = nil }
}

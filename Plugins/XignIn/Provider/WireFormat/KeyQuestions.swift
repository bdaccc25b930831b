import PushCore

/// When each manager was last asked for its keys, so that forged pushes can't make a device ask all
/// the time. Kept in memory: a refused message must leave no trace in the store.
actor KeyQuestions {
    private static let pause = Duration.seconds(3600)

    private var last: [Enrollment.ID: Duration] = [:]

    /// Whether a manager may be asked now; if so, it counts as asked.
    func take(for enrollment: Enrollment.ID, at elapsed: Duration) -> Bool {
        if let last = last[enrollment], elapsed - last < Self.pause { return false }
        last[enrollment] = elapsed
        return true
    }
}

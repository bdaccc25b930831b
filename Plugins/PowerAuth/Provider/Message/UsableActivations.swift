import PushCore

/// The activations that a push without a name may be about, for a short while.
///
/// Telling them takes reading every credential, and such a push costs a stranger nothing: so
/// however many come, they are read once in that while. What this process changes is known at once.
actor UsableActivations {
    /// How long they are taken to be the same, by the monotonic clock.
    private static let lifetime = Duration.seconds(3)

    private var known: (ids: Set<Enrollment.ID>, read: Duration)?

    /// The activations; `nil` if they must be read.
    func ids(at elapsed: Duration) -> Set<Enrollment.ID>? {
        guard let known, elapsed - known.read < Self.lifetime else { return nil }
        return known.ids
    }

    func keep(_ ids: Set<Enrollment.ID>, at elapsed: Duration) { known = (ids, elapsed) }

    /// Forgets them after an enrollment was made, has changed its state or is gone.
    func forget() { known = nil }
}

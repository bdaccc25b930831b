import PushCore

/// The activations whose token was refused as soon as it was made: another wouldn't do better.
actor TokenRefusals {
    private var enrollments: Set<Enrollment.ID> = []

    func contains(_ id: Enrollment.ID) -> Bool { enrollments.contains(id) }

    func note(_ id: Enrollment.ID) { enrollments.insert(id) }

    /// Forgets it once a token is taken, or the activation's state has changed, which may have been
    /// the reason.
    func forget(_ id: Enrollment.ID) { enrollments.remove(id) }
}

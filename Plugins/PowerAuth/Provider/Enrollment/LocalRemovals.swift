import PushCore

/// The activations that are being removed from this device alone.
actor LocalRemovals {
    private var enrollments: Set<Enrollment.ID> = []

    func begin(_ id: Enrollment.ID) { enrollments.insert(id) }

    /// Whether a removal has begun, which this ends.
    @discardableResult func end(_ id: Enrollment.ID) -> Bool { enrollments.remove(id) != nil }
}

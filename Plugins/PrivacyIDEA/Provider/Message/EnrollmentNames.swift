import PushCore

/// Which enrollments have a serial, at whatever origin, for a short while.
///
/// Telling them takes reading every credential, and a push with a serial costs a stranger nothing: so
/// however many come, they are read once in that while.
actor EnrollmentNames {
    private typealias Reading = Task<Result<Set<Enrollment.ID>, PushError>, Never>

    /// How long they are taken to be the same, by the monotonic clock.
    private static let lifetime = Duration.seconds(3)

    private var known: (ids: Set<Enrollment.ID>, read: Duration)?
    private var reading: Reading?
    private var changes = 0

    /// The enrollments with a serial, in a fixed order.
    func ids(
        ofSerial serial: String, in vault: Vault, _ clock: any PushClock
    ) async throws(PushError) -> [Enrollment.ID] {
        let prefix = Array("\(serial)@".utf8)
        return try await all(in: vault, clock.elapsed).filter { $0.name.utf8.starts(with: prefix) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Forgets them, such as after an enrollment was made.
    func dropCaches() {
        known = nil
        reading = nil
        changes += 1
    }

    private func all(
        in vault: Vault, _ elapsed: Duration
    ) async throws(PushError) -> Set<Enrollment.ID> {
        if let known, known.read <= elapsed, elapsed - known.read < Self.lifetime {
            return known.ids
        }
        if let reading { return try await reading.value.get() }
        let before = changes
        let reading = Reading {
            await Result { () async throws(PushError) in
                Set(try await vault.enrollments().map(\.id))
            }
        }
        self.reading = reading
        let found = await reading.value
        if before == changes {
            self.reading = nil
            if case .success(let ids) = found { known = (ids, elapsed) }
        }
        return try found.get()
    }
}

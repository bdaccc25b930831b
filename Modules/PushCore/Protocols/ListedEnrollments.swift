/// Candidates for messages that name no enrollment, remembered for a short while.
///
/// Finding them takes reading every credential, or its name, and a stranger can send such messages
/// for nothing. However many come, the enrollments are read once in that while. Call ``forget()``
/// after a change.
public actor ListedEnrollments {
    private typealias Reading = Task<Result<Set<Enrollment.ID>, PushError>, Never>

    /// How long they are taken to be the same, by the monotonic clock.
    private static let lifetime = Duration.seconds(3)

    private let find: @Sendable (Accounts) async throws(PushError) -> Set<Enrollment.ID>
    private var known: (ids: Set<Enrollment.ID>, read: Duration)?
    private var reading: Reading?
    /// What was read before a change isn't kept after it.
    private var changes = 0

    /// Creates an empty list for all enrollments. Only their names are read; no record is opened.
    public init() {
        find = { (accounts) async throws(PushError) in Set(try await accounts.ids()) }
    }

    /// Creates an empty list.
    ///
    /// - Parameter isMeant: Whether such a message may be about an enrollment.
    public init(where isMeant: @escaping @Sendable (Enrollment) -> Bool) {
        find = { (accounts) async throws(PushError) in
            Set(try await accounts.enrollments().filter(isMeant).map(\.id))
        }
    }

    /// The enrollments, read unless that was done just now.
    ///
    /// - Throws: ``PushError`` with the code `storage` if the store can't tell.
    public func ids(
        in accounts: Accounts, _ clock: any PushClock
    ) async throws(PushError) -> Set<Enrollment.ID> {
        let elapsed = clock.elapsed
        if let known, known.read <= elapsed, elapsed - known.read < Self.lifetime {
            return known.ids
        }
        return try await (reading ?? read(accounts, at: elapsed)).value.get()
    }

    /// Forgets them. Call it after an enrollment was made, changed its state or was removed.
    public func forget() {
        known = nil
        reading = nil
        changes += 1
    }

    private func read(_ accounts: Accounts, at elapsed: Duration) -> Reading {
        let before = changes
        let reading = Reading {
            let found = await Result { () async throws(PushError) in try await self.find(accounts) }
            self.keep(found, at: elapsed, unlessAfter: before)
            return found
        }
        self.reading = reading
        return reading
    }

    private func keep(
        _ found: Result<Set<Enrollment.ID>, PushError>, at elapsed: Duration,
        unlessAfter before: Int
    ) {
        guard before == changes else { return }
        reading = nil
        if case .success(let ids) = found { known = (ids, elapsed) }
    }
}

/// Where each enrollment's server is, as far as that was read, and what its clock and its pauses mean
/// for the enrollment; and which servers let nobody ask what waits.
actor KnownServers {
    private let core: AuthenticatorCore
    private var servers = Cache<Enrollment.ID, ServerID>()

    /// The enrollments whose vendor has said so since this process began.
    private(set) var refusedLists: Set<Enrollment.ID> = []

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    /// An enrollment as its record has it; `nil` if there is none.
    func enrollment(_ id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        let vault = core.environment.vault(for: id.provider)
        let enrollment = try await vault.enrollment(id)
        servers[id] = enrollment?.server
        return enrollment
    }

    /// Learns of an enrollment that was read elsewhere.
    func note(_ enrollment: Enrollment) { servers[enrollment.id] = enrollment.server }

    /// Whether an enrollment's vendor lets nobody ask what waits.
    func isListRefused(of id: Enrollment.ID) -> Bool { refusedLists.contains(id) }

    /// Learns whether an enrollment's vendor lets nobody ask, or may be asked again.
    func noteList(of id: Enrollment.ID, isRefused: Bool) {
        if isRefused { refusedLists.insert(id) } else { refusedLists.remove(id) }
    }

    /// An enrollment's state; `nil` if there is none, or the store can't tell.
    func state(of id: Enrollment.ID) async -> Enrollment.State? {
        try? await enrollment(id)?.state
    }

    /// Whether a challenge's time is certainly over, and the vendor wouldn't judge that itself.
    func isLate(_ notice: Notice) async throws(PushError) -> Bool {
        guard try !core.takesLateAnswers(notice.id) else { return false }
        guard notice.expiry != nil else { return false }
        let server = try await server(of: notice.id.enrollment)
        return await core.validity(of: notice, at: server) == .expired
    }

    /// How long it takes until a challenge's time is certainly over; `nil` if that can't be told.
    func rest(of notice: Notice) async -> Duration? {
        guard let expiry = notice.expiry, let late = try? core.takesLateAnswers(notice.id), !late,
            let server = try? await server(of: notice.id.enrollment)
        else { return nil }
        let clock = core.environment.clock
        return await clock.serverTime.rest(
            until: expiry, for: notice.id.enrollment, at: server, elapsed: clock.elapsed)
    }

    /// How long an enrollment's server wants to be left alone.
    func pause(of id: Enrollment.ID) async -> Duration? {
        guard let server = try? await server(of: id) else { return nil }
        let environment = core.environment
        return await environment.pauses.rest(at: server, elapsed: environment.clock.elapsed)
    }

    /// An enrollment's server: what was known of it last does, as it says no more than whose time
    /// and pauses count.
    private func server(of id: Enrollment.ID) async throws(PushError) -> ServerID? {
        if let server = servers[id] { return server }
        return try await enrollment(id)?.server
    }
}

/// Where each enrollment's server is, as far as that was read, and what its clock and its pauses
/// mean for the enrollment; and which servers let nobody ask what waits.
actor KnownServers {
    private let core: AuthenticatorCore
    private var servers = Cache<Enrollment.ID, Endpoint.ServerID>()

    /// The enrollments whose vendor lets nobody ask what waits, as it has said since this process
    /// began.
    private(set) var refusedLists: Set<Enrollment.ID> = []

    /// The enrollments of which a poll found the guard locked.
    private(set) var locked: Set<Enrollment.ID> = []

    init(_ core: AuthenticatorCore) {
        self.core = core
    }

    /// An enrollment as its record has it; `nil` if there is none.
    func enrollment(_ id: Enrollment.ID) async throws(PushError) -> Enrollment? {
        let enrollment = try await core.documents.read(id)?.enrollment
        servers[id] = enrollment?.server
        return enrollment
    }

    /// Learns of an enrollment that was read elsewhere.
    func note(_ enrollment: Enrollment) { servers[enrollment.id] = enrollment.server }

    /// Learns whether an enrollment's vendor lets nobody ask, or may be asked again.
    func noteList(of id: Enrollment.ID, isRefused: Bool) {
        if isRefused { refusedLists.insert(id) } else { refusedLists.remove(id) }
        if !isRefused { locked.remove(id) }
    }

    /// Learns that a poll found an enrollment's guard locked.
    func noteLocked(_ id: Enrollment.ID) { locked.insert(id) }

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

    // MARK: Pauses

    /// How long an enrollment's server wants to be left alone, by what any process was told that
    /// shares the store. For what the user waits for, and for what is kept, a pause counts only in
    /// the form that the vendor documents.
    func pause(of id: Enrollment.ID, documented: Bool = false) async -> Duration? {
        guard let server = try? await server(of: id) else { return nil }
        await core.environment.pauses.look(at: server)
        return await rest(at: server, documented: documented)
    }

    /// The same, as far as this process knows: that takes no trip to a store.
    func knownPause(of id: Enrollment.ID) async -> Duration? {
        guard let server = try? await server(of: id) else { return nil }
        return await rest(at: server)
    }

    /// That an enrollment's server wants to be left alone.
    static func pauseError(_ id: Enrollment.ID) -> PushError {
        PushError(.unreachable, "The server asked this device to wait.", provider: id.provider)
    }

    private func rest(at server: Endpoint.ServerID, documented: Bool = false) async -> Duration? {
        await core.environment.pauses.rest(
            at: server, elapsed: core.environment.clock.elapsed, documented: documented)
    }

    /// Reads an enrollment's document, and its server's pause by the same trip, if it is known
    /// which server that is.
    func read(_ id: Enrollment.ID) async throws(PushError) -> DocumentInHand? {
        let pauses = core.environment.pauses
        let server = pauses.areShared ? servers[id] : nil
        let (hand, along) = try await core.documents.read(id, along: server.map(SharedPause.key))
        if let server, case .success(let found)? = along?.content {
            await pauses.learn(found, of: server)
        }
        servers[id] = hand?.enrollment.server
        return hand
    }

    /// An enrollment's server: what was known of it last does, as it says no more than whose time
    /// and pauses count.
    private func server(of id: Enrollment.ID) async throws(PushError) -> Endpoint.ServerID? {
        if let server = servers[id] { return server }
        return try await enrollment(id)?.server
    }
}

extension PushAuthenticator {
    /// Goes on with everything that isn't finished: sends decisions whose outcome isn't known, and
    /// the newest device token to whoever lacks it. Call it at start, at foreground, on reconnect.
    ///
    /// Called again while it works, it does nothing twice: both callers get the same.
    ///
    /// - Returns: What the vendors said to the decisions.
    @discardableResult
    public func resume() async throws(PushError) -> [Challenge.ID: Outcome] {
        if let resuming { return try await resuming.value.get() }
        let task = Task { [self] in
            let result = await Result { () async throws(PushError) in try await resumeOnce() }
            resuming = nil
            return result
        }
        resuming = task
        return try await task.value.get()
    }

    private func resumeOnce() async throws(PushError) -> [Challenge.ID: Outcome] {
        let (rows, unreadable) = try await ledgerSurvey()
        openChallenges.survey(rows)
        let decided = rows.filter { row in
            guard case .decided = row.state else { return false }
            return underway[row.id] == nil && registry[row.id.enrollment.provider] != nil
        }
        for row in decided { forget(.decision(row.id)) }
        // In a defined order, so that what is seen once can be seen again.
        let groups = Dictionary(grouping: decided, by: \.id.enrollment).values
            .map { rows in rows.sorted { ($0.seen, $0.id.name) < ($1.seen, $1.id.name) } }
            .sorted { ($0[0].seen, $0[0].id.name) < ($1[0].seen, $1[0].id.name) }
            .map { rows in rows.map(\.id) }
        var outcomes: [Challenge.ID: Outcome] = [:]
        for found in await each(groups, { ids in await self.deliver(ids) }) {
            outcomes.merge(found) { $1 }
        }
        await tidy(rows, unreadable: unreadable)
        await forgetWhatIsLeft()
        for failure in try await tellDeviceToken().values {
            report(failure, "A vendor couldn't be told the device token.")
        }
        return outcomes
    }

    /// Delivers one enrollment's decisions, in order.
    private func deliver(_ ids: [Challenge.ID]) async -> [Challenge.ID: Outcome] {
        var outcomes: [Challenge.ID: Outcome] = [:]
        for id in ids {
            do throws(PushError) {
                outcomes[id] = try await deliver(id)?.outcome
            } catch {
                report(error.of(id.enrollment.provider), "A decision couldn't be sent.")
                outcomes[id] = .unknown(error.reason)
            }
        }
        return outcomes
    }

    /// How much goes on at once.
    nonisolated var width: Int { max(1, policies.width) }

    /// Does something for each item, as many at once as the policies allow.
    ///
    /// - Returns: What came of each, in the order of the items.
    nonisolated func each<Item: Sendable, Value: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item) async -> Value
    ) async -> [Value] {
        let width = width
        return await withTaskGroup(of: (Int, Value).self) { group in
            var values: [Int: Value] = [:]
            for (index, item) in items.enumerated() {
                if index >= width, let (done, value) = await group.next() { values[done] = value }
                group.addTask { (index, await body(item)) }
            }
            for await (done, value) in group { values[done] = value }
            return items.indices.compactMap { values[$0] }
        }
    }

    // MARK: Time

    /// Whether a challenge's time is certainly over, and the vendor wouldn't judge that itself.
    func isLate(_ notice: Notice) async throws(PushError) -> Bool {
        guard try !takesLateAnswers(notice.id) else { return false }
        guard notice.expiry != nil else { return false }
        let server = try await server(of: notice.id.enrollment)
        return await validity(of: notice, at: server) == .expired
    }

    /// How long it takes until a challenge's time is certainly over; `nil` if that can't be told.
    func rest(of notice: Notice) async -> Duration? {
        guard let expiry = notice.expiry, let late = try? takesLateAnswers(notice.id), !late,
            let server = try? await server(of: notice.id.enrollment)
        else { return nil }
        let clock = environment.clock
        return await clock.servers.rest(
            until: expiry, for: notice.id.enrollment, at: server, elapsed: clock.elapsed)
    }

    /// How long an enrollment's server wants to be left alone.
    func pause(of id: Enrollment.ID) async -> Duration? {
        guard let server = try? await server(of: id) else { return nil }
        return await environment.pauses.rest(at: server, elapsed: environment.clock.elapsed)
    }

    /// An enrollment's server: what was known of it last does, as it says no more than whose time
    /// and pauses count.
    private func server(of id: Enrollment.ID) async throws(PushError) -> ServerID? {
        if let server = servers[id] { return server }
        return try await enrollment(id)?.server
    }
}

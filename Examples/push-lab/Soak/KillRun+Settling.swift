import PushCore

/// What follows a kill: everything that is open comes to its end, and is compared.
extension KillRun {
    mutating func settle(_ cycle: Cycle) async throws {
        if let user = cycle.newcomer { try await settleEnrollment(of: user) }
        for index in logins.indices[cycle.first...] { try await redeliver(index) }
        for _ in 0..<min(3, cycle.first) {
            let index = random.below(cycle.first)
            try logins[index].note(delivery: await deliver(logins[index]))
            tally.add("replays")
        }
        // An enrollment that its first push completed learns of the device token here.
        if cycle.newcomer != nil { try await device.call("resume") }
        let snapshot = try await quietSnapshot(cycle)
        for index in logins.indices[cycle.first...] {
            logins[index].status = try await site.status(logins[index].id)
        }
        try await check(logins[cycle.first...], snapshot)
        try await checkTokens(snapshot)
        if users.count > 6 { try await retireOldest() }
    }

    private func deliver(_ login: LoginFacts) async throws -> JSON {
        try await device.call("receive", ["payload": .string(login.payload)])
    }

    /// Delivers a login's push once more, and answers it if it still waits.
    private mutating func redeliver(_ index: Int) async throws {
        let isOpen = try logins[index].note(delivery: await deliver(logins[index]))
        tally.add("decisions")
        guard isOpen else { return }
        let choice = logins[index].validChoices[random.oneIn(2) ? 1 : 0]
        logins[index] = try await KillWork.answer(logins[index], [choice], on: device)
    }

    /// The store, once every decision has its last word and every vendor the newest token; or
    /// after ten seconds.
    private func quietSnapshot(_ cycle: Cycle) async throws -> StoreSnapshot {
        let names = logins[cycle.first...].compactMap(\.names?.challenge)
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            let snapshot = try await site.store.snapshot()
            let isQuiet =
                names.allSatisfy { snapshot.rows[$0]?.outcome != nil }
                && snapshot.untold.allSatisfy(halves.contains)
            if isQuiet || ContinuousClock.now > deadline { return snapshot }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// An enrollment that the server took must be there, and its first push must complete it.
    private mutating func settleEnrollment(of user: String) async throws {
        let kept = try await site.store.snapshot().enrollments.filter { $0.account == user }
        let registered = try await site.devices(user)
        tally.add("enrollments")
        guard registered.isEmpty else {
            users.append(user)
            guard kept.contains(where: { $0.state == .pending(.unconfirmed) }) else { return }
            tally.add("enrollments completed by the first push")
            logins.append(try await site.login(user, number: false))
            return
        }
        try await noteHalves(of: user)
    }

    /// Notes what enrollments that the server never took have left: a gateway's refusal says
    /// nothing, so that they are kept, listed as unconfirmed, until they are removed.
    mutating func noteHalves(of user: String) async throws {
        let registered = try await site.devices(user)
        for enrollment in try await site.store.snapshot().enrollments
        where enrollment.account == user && registered[enrollment.id.name] == nil {
            halves.insert(enrollment.id.name)
            tally.add("halves of enrollments, listed")
        }
    }

    private mutating func check(
        _ logins: ArraySlice<LoginFacts>, _ snapshot: StoreSnapshot
    ) async throws {
        let checks = SoakChecks(try site.exchanges())
        violations += checks.doubledDecisions()
        violations += checks.lostDecisions(Array(logins), snapshot)
        violations += checks.lostEnrollments(snapshot, removed: removed)
        violations += SoakChecks.shownTwice(self.logins) + SoakChecks.damaged(snapshot)
        for enrollment in snapshot.enrollments where enrollment.state != .active {
            guard !halves.contains(enrollment.id.name) else { continue }
            violations.append(
                Violation(.enrollment, "\(enrollment.id.name) is \(enrollment.state)"))
        }
        if let end = await device.unexpectedEnd() { violations.append(Violation(.life, end)) }
    }

    /// The server must have the token that was given last, as far as the caller knows.
    private mutating func checkTokens(_ snapshot: StoreSnapshot) async throws {
        let allowed = [tokens.acknowledged, tokens.attempted].compactMap(\.self)
        for user in users {
            for (mechanism, token) in try await site.devices(user) {
                if !allowed.contains(token) {
                    violations.append(
                        Violation(.token, "\(mechanism) has \(token), the newest is \(allowed)"))
                }
                // One that was given when the process was killed is now there for good, or gone.
                tokens = (token, nil)
            }
        }
        for mechanism in snapshot.untold where !halves.contains(mechanism) {
            violations.append(Violation(.token, "\(mechanism) doesn't have the newest"))
        }
    }

    /// Ends the oldest enrollment, so that the work stays the same however long it goes on.
    private mutating func retireOldest() async throws {
        let user = users.removeFirst()
        for mechanism in try await site.devices(user).keys { try await remove(mechanism) }
        logins.removeAll { $0.user == user }
        tally.add("enrollments removed")
    }

    private mutating func remove(_ mechanism: String) async throws {
        try await device.call("remove", ["mechanism": .string(mechanism)])
        removed.insert(mechanism)
    }

    /// Once more from the start: every push is a replay now, and halves can be cleaned up.
    mutating func finish() async throws {
        for mechanism in halves { try await remove(mechanism) }
        for index in logins.indices {
            try logins[index].note(delivery: await deliver(logins[index]))
        }
        let snapshot = try await site.store.snapshot()
        try await check(logins[...], snapshot)
        for mechanism in snapshot.enrollments.map(\.id.name) where halves.contains(mechanism) {
            violations.append(Violation(.enrollment, "\(mechanism) was removed, and is there"))
        }
        tally.add("requests at the server", try site.exchanges().count)
    }
}

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
        try await settleParts(cycle)
        let snapshot = try await quietSnapshot(cycle)
        for index in logins.indices[cycle.first...] {
            logins[index].status = try await site.status(of: logins[index])
        }
        let checks = try await check(logins[cycle.first...], snapshot)
        for index in logins.indices[cycle.first...] {
            logins[index].end = logins[index].names.flatMap { snapshot.rows[$0.challenge] }
        }
        count(cycle.parts, checks)
        try await checkTokens(snapshot)
        if users.count > 6 { try await retireOldest() }
        if logins.count(where: { $0.vendor == .part }) > 40 { try await replaceHolder() }
    }

    private func deliver(_ login: LoginFacts) async throws -> JSON {
        try await device.call("receive", ["payload": .string(login.payload)])
    }

    /// Delivers a login's push once more, and answers it if it still waits.
    private mutating func redeliver(_ index: Int) async throws {
        let isOpen = try logins[index].note(delivery: await deliver(logins[index]))
        tally.add("decisions")
        if isOpen { try await answer(index) }
    }

    private mutating func answer(_ index: Int) async throws {
        let choice = logins[index].validChoices[random.oneIn(2) ? 1 : 0]
        logins[index] = try await KillWork.answer(logins[index], [choice], on: device)
    }

    /// Resumes until every answer at the manager has its last word, or for ten seconds. The user makes
    /// again what only the user can, and answers what a mistyped PIN has left open.
    private mutating func settleParts(_ cycle: Cycle) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            let rows = try await site.store.snapshot().rows
            let waiting = logins.indices[cycle.first...].filter { index in
                logins[index].vendor == .part
                    && logins[index].names.flatMap { rows[$0.challenge]?.outcome } == nil
            }
            guard !waiting.isEmpty else { return }
            let outcomes = try await device.call("resume")
            for index in waiting {
                logins[index] = try await logins[index].madeAgain(outcomes, on: device)
                let isOpen = try logins[index].note(delivery: await deliver(logins[index]))
                if isOpen { try await answer(index) }
            }
        }
    }

    private mutating func count(_ parts: [String: Int], _ checks: SoakChecks) {
        for login in logins {
            guard let line = parts[login.id] else { continue }
            tally.add(.kept)
            let questions = checks.parts.questions(about: login.id, after: line)
            if !questions.isEmpty { tally.add(.asked) }
            if questions.contains(where: { $0.verdict != nil }) { tally.add(.known) }
            if login.timesMadeAgain > 0 { tally.add(.again) }
        }
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

    @discardableResult
    private mutating func check(
        _ logins: ArraySlice<LoginFacts>, _ snapshot: StoreSnapshot
    ) async throws -> SoakChecks {
        let checks = SoakChecks(try site.exchanges())
        violations += checks.doubledDecisions()
        violations += checks.parts.doubledApprovals() + checks.parts.unaskedApprovals()
        violations += checks.parts.leaks(in: snapshot, of: logins)
        violations += checks.lostDecisions(Array(logins), snapshot)
        violations += checks.lostEnrollments(snapshot, removed: removed)
        violations += SoakChecks.shownTwice(self.logins) + SoakChecks.damaged(snapshot)
        for enrollment in snapshot.enrollments where enrollment.state != .active {
            guard !halves.contains(enrollment.id.name) else { continue }
            violations.append(
                Violation(.enrollment, "\(enrollment.id.name) is \(enrollment.state)"))
        }
        if let end = await device.unexpectedEnd() { violations.append(Violation(.life, end)) }
        return checks
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
        try await device.call(
            "remove",
            [
                "mechanism": .string(mechanism), "vendor": .string(SoakVendor.whole.name),
            ])
        removed.insert(mechanism)
    }

    /// Ends the personalization for another user's, for the same reason.
    private mutating func replaceHolder() async throws {
        do {
            try await device.call(
                "remove",
                [
                    "mechanism": .string(SoakServer.manager),
                    "vendor": .string(SoakVendor.part.name),
                ])
        } catch Peer.Failure.refused(let code, _) where code.hasPrefix("server") {
            // It is gone here, though the manager was in trouble and doesn't know.
        }
        logins.removeAll { $0.vendor == .part }
        try await personalize()
        tally.add("personalizations replaced")
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

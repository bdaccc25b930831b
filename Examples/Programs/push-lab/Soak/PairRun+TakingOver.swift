import PushCore

/// One of the two is killed while it answers: the other, which never dies, brings it to its end.
extension PairRun {
    mutating func takeOver() async throws {
        var login = try await site.login(Self.user, number: false)
        for device in devices {
            try login.note(delivery: await deliver(login, to: device))
        }
        let loser = random.below(2)
        let winner = devices[1 - loser]
        let choice = login.validChoices[random.below(2)]
        let dying = Task { [login, device = devices[loser]] in
            try await KillWork.answer(login, [choice], on: device)
        }
        try? await Task.sleep(for: random.pause(upTo: 30))
        await devices[loser].kill()
        login = try await dying.value

        // What it had recorded is waited for; what it hadn't is the other's to decide.
        try await winner.call("resume")
        if try login.note(delivery: await deliver(login, to: winner)) {
            let other = login.validChoices[random.below(2)]
            login = try await KillWork.answer(login, [other], on: winner)
            tally.add("one killed before it had decided")
        } else {
            tally.add(
                login.acknowledged.isEmpty ? "one killed, taken over" : "one killed after all")
        }
        try await waitForOutcome(of: login)
        devices[loser] = try site.device(Self.names[loser])
        if try login.note(delivery: await deliver(login, to: devices[loser])) {
            violations.append(Violation(.delivery, "\(login.id): is open again"))
        }
        logins.append(login)
    }

    private func deliver(_ login: LoginFacts, to device: Peer) async throws -> JSON {
        try await device.call("receive", ["payload": .string(login.payload)])
    }

    /// Waits until the store has the last word, for ten seconds at most: the checks find the rest.
    private func waitForOutcome(of login: LoginFacts) async throws {
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            let rows = try await site.store.snapshot().rows
            if login.names.flatMap({ rows[$0.challenge]?.outcome }) != nil { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

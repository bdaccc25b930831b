import PushCore
import PushTesting

extension PluginRun {
    private static let rounds = 12

    /// Heals everything, restarts what is dead, and lets time pass until nothing changes.
    func settle() {
        if draw.percent(50) { advance(30_000) }
        isHealed = true
        note("everything heals")
        if draw.percent(50) {
            for process in processes { kill(process.life) }
        }
        // A copy that is late comes within 61 seconds.
        advance(65_000)
        for index in processes.indices where processes[index].authenticator == nil { start(index) }
        var still = 0
        for _ in 0..<Self.rounds {
            let before = ledgerDigest
            for index in processes.indices { resume(index) }
            // Longer than any pause. One that another process was asked for counts from when it is first
            // heard of, so nothing may change in the first round.
            advance(65_000)
            still = before == ledgerDigest ? still + 1 : 0
            if still == 2 || steps >= Self.stepLimit { break }
        }
        answerAgain()
        if plugin.end != nil {
            poll(0)
            advance(20_000)
        }
        readFinal()
    }

    /// What only the user can answer again is answered again.
    private func answerAgain() {
        call(0, "records") { [self] authenticator throws(PushError) in
            for record in try await authenticator.records() {
                guard case .decided(let resolution) = record.state else { continue }
                tally.count(.verifiedAgain)
                if case .deny(let reason) = resolution {
                    let outcome = try await authenticator.deny(record.id, reason)
                    judge(outcome, of: resolution, on: record.id)
                } else {
                    let challenge = try await authenticator.challenge(record.id)
                    let outcome = try await authenticator.resolve(challenge, with: resolution)
                    judge(outcome, of: resolution, on: record.id)
                }
            }
            return "answered again"
        }
        advance(20_000)
    }

    private func readFinal() {
        call(0, "read") { [self] authenticator throws(PushError) in
            await watch()
            final = (try await authenticator.enrollments(), try await authenticator.records())
            return "\(logins.map { "\($0.login.id) \($0.status)" })"
        }
        advance(1000)
    }

    /// Compares the end with every promise that a login page can show.
    func judge() {
        if steps >= Self.stepLimit { return violate(.noSurprise, "it never ends") }
        for call in calls where call.life.isAlive && !call.isDone {
            violate(.noSurprise, "\(call.name) hangs")
        }
        guard let final else { return violate(.noSurprise, "the end can't be read") }
        for (index, name) in announcedAsNew.enumerated()
        where announcedAsNew[..<index].contains(name) {
            violate(.seenOnce, "\(name) was announced as new twice")
        }
        // Some were found without a push.
        matchNames(known + final.records.map(\.id) + decisions.keys)
        for login in logins { judge(login, final.records) }
    }

    private func judge(_ login: Login, _ records: [ChallengeRecord]) {
        let chosen = login.challenge.flatMap { decisions[$0] } ?? []
        judgeTruth(of: login, chosen)
        guard let id = login.challenge, !removed.contains(id.enrollment),
            !spoiled.contains(id.name), !spoiled.contains(id.enrollment.name)
        else { return }
        guard let record = records.first(where: { $0.id == id }) else {
            guard trace(of: id) == nil, !mayBeForgotten(id) else { return }
            return violate(.nothingLost, "\(id.name) is unknown to the device")
        }
        switch record.state {
        case .decided(let resolution):
            // A wrong number stays, as nobody says whether an earlier copy of it was refused for good.
            let isWrong = !resolution.isDenial && !isYes(resolution, of: login)
            if login.status == .waiting, !isWrong {
                violate(.nothingLost, "\(id.name): \(resolution) is still on its way")
            }
        case .answered(let resolution, let outcome):
            judge(login, resolution, outcome)
        case .open:
            if isTaken(login, by: chosen) {
                violate(.nothingLost, "\(id.name) is \(login.status), and open on the device")
            }
            if plugin.end != nil, login.status != .waiting {
                violate(.ended, "\(id.name) is \(login.status), and open on the device")
            }
        case .over(let withdrawal):
            if withdrawal.reason == .expired, waiting(id) != nil {
                violate(.found, "\(id.name) waits, and has expired on the device")
            }
        @unknown default: violate(.noSurprise, "\(id.name): an unknown state")
        }
    }

    /// Whether the server took what the user chose.
    func isTaken(_ login: Login, by chosen: [Resolution]) -> Bool {
        guard let id = login.challenge, !copied.contains(id) else { return false }
        return login.status == .approved && chosen.contains { isYes($0, of: login) }
            || login.status == .denied && chosen.contains(where: \.isDenial)
    }

    /// Nobody is let in, or turned away, but by the user.
    private func judgeTruth(of login: Login, _ chosen: [Resolution]) {
        switch login.status {
        case .approved where !chosen.contains { isYes($0, of: login) }:
            violate(.writtenFirst, "\(login.login.id) was approved by nobody")
        case .denied where !chosen.contains(where: \.isDenial):
            violate(.writtenFirst, "\(login.login.id) was denied by nobody")
        case .waiting, .approved, .denied, .failed, .expired: break
        }
        if login.status == .approved { tally.count(.taken) }
        if login.status == .denied { tally.count(.taken) }
    }

    private func judge(_ login: Login, _ resolution: Resolution, _ outcome: Outcome) {
        let isTaken =
            if resolution.isDenial {
                login.status == .denied
            } else {
                isYes(resolution, of: login) == (login.status == .approved)
            }
        switch outcome {
        case .delivered where login.status == .expired && plugin.saysYesTooLate: break
        case .delivered where !isTaken:
            violate(
                .trueWords,
                "\(login.login.id): \(resolution) is said to be delivered, but \(login.status)")
        case .delivered, .unknown, .verifyAgain: break
        case .notTaken, .expired, .answeredElsewhere, .cancelled:
            let wasCopied = login.challenge.map { copied.contains($0) } ?? false
            if login.status == .approved, isYes(resolution, of: login), !wasCopied {
                violate(
                    .trueWords, "\(login.login.id): \(resolution) was taken, but \(outcome)")
            }
        case .code, .ended: break
        }
    }

    private func isYes(_ resolution: Resolution, of login: Login) -> Bool {
        switch resolution {
        case .approve: true
        case .choose(let text), .enter(let text): text == login.login.shown
        case .deny: false
        }
    }
}

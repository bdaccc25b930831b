import PushCore

@testable import FictionalVendor

extension AcmeRun {
    /// What the device holds when nothing happens any more.
    struct Final {
        var enrollments: [Enrollment] = []
        var records: [ChallengeRecord] = []
        var isRead = false
    }

    private static let rounds = 14

    /// Longer than any pause. A process that has just begun counts one that another was asked for from
    /// when it first hears of it, so nothing may change in the first round.
    private static let round = 65_000

    /// Heals everything, restarts what is dead, and lets time pass until nothing changes.
    func settle() {
        if draw.percent(50) { advance(30_000) }
        isHealed = true
        note("everything heals")
        if draw.percent(50) {
            for process in processes { kill(process.life) }
        }
        let before = server.arrivals.count
        // A copy that is late comes within 61 seconds.
        advance(65_000)
        if server.arrivals.count > before { tally.count(.deliveredAlone) }
        for index in processes.indices where processes[index].authenticator == nil { start(index) }
        refreshDoubtful()
        var still = 0
        for round in 0..<Self.rounds {
            let before = (ledgerDigest, server.changes)
            for index in processes.indices {
                resume(index)
                if round == 0 { poll(index) }
            }
            advance(Self.round)
            still = before == (ledgerDigest, server.changes) ? still + 1 : 0
            if still == 2 || steps >= Self.stepLimit { break }
        }
        answerAgain()
        if server.options.tellsEnds {
            overAtLastPoll = Set(server.asked.filter { !server.isOpen($0) }.map(\.name))
            poll(0)
            advance(20_000)
        }
        readFinal()
    }

    /// Asks the server about the enrollments that it ended or may not know.
    private func refreshDoubtful() {
        call(0, "refresh") { [self] authenticator throws(PushError) in
            for enrollment in try await authenticator.enrollments() {
                let enrolled = server.enrolled.first { $0.name == enrollment.id.name }
                if enrollment.state != .active || enrolled?.isRemoved != false {
                    refresh(0, enrollment.id)
                }
            }
            return "done"
        }
        advance(1000)
    }

    /// What only the user can answer again is answered again.
    private func answerAgain() {
        guard !server.options.isKeptWhole else { return }
        call(0, "records") { [self] authenticator throws(PushError) in
            for record in try await authenticator.records() {
                guard case .decided(let resolution) = record.state else { continue }
                let outcome =
                    if resolution.isDenial, case .deny(let reason) = resolution {
                        try await authenticator.deny(record.id, reason)
                    } else {
                        try await authenticator.resolve(
                            try await authenticator.challenge(record.id), with: resolution)
                    }
                tally.count(.verifiedAgain)
                compare(outcome, of: AcmeWire.choice(resolution), on: record.id.name)
            }
            return "answered again"
        }
        advance(20_000)
    }

    private func readFinal() {
        call(0, "read") { [self] authenticator throws(PushError) in
            final.enrollments = try await authenticator.enrollments()
            final.records = try await authenticator.records()
            final.isRead = true
            return "\(final.enrollments.count) enrollments, \(final.records.count) challenges"
        }
        advance(1000)
    }

    /// Compares the end with every promise.
    func judge() {
        violations += server.violations
        if steps >= Self.stepLimit { return violate(.noSurprise, "it never ends") }
        for call in calls where call.life.isAlive && !call.isDone {
            violate(.noSurprise, "\(call.name) hangs")
        }
        guard final.isRead else { return violate(.noSurprise, "the end can't be read") }
        judgeEnrollments()
        judgeStore()
        for challenge in server.asked { judge(challenge) }
    }

    private func judgeEnrollments() {
        for enrolled in server.enrolled
        where !enrolled.isRemoved && !spoiled.contains(enrolled.name) {
            if !final.enrollments.contains(where: { $0.id.name == enrolled.name }) {
                violate(.enrollments, "\(enrolled.name) is at the server, and not on the device")
            }
        }
        for enrollment in final.enrollments {
            let enrolled = server.enrolled.first { $0.name == enrollment.id.name }
            let isThere = enrolled.map { !$0.isRemoved } ?? false
            if isThere != (enrollment.state == .active) {
                violate(.enrollments, "\(enrollment.id.name) is \(enrollment.state)")
            }
            guard let enrolled, isThere else { continue }
            let services = vendors.first { $0.id == enrollment.id.provider }
            let desired = AcmeWire.token(desiredToken(of: services?.services ?? [])).string
            if enrolled.token != desired {
                violate(
                    .deviceToken,
                    "\(enrolled.name): the server has \(enrolled.token ?? "none"), "
                        + "not \(desired ?? "none")")
            }
        }
    }

    private func judgeStore() {
        let left = records.keys.map(\.name) + challenges.values.map(\.name)
        for name in left.sorted() where name.contains("forged") {
            violate(.seenOnce, "a forged push left \(name)")
        }
        for id in removed.sorted(by: { $0.name < $1.name })
        where records[.enrollment(id)] != nil && !spoiled.contains(id.name) {
            violate(.removed, "\(id.name) was removed, and is on record")
        }
        for (index, name) in announcedAsNew.enumerated()
        where announcedAsNew[..<index].contains(name) {
            violate(.seenOnce, "\(name) was announced as new twice")
        }
    }

    private func judge(_ challenge: WatchedServer.Asked) {
        let name = challenge.name
        guard let index = server.index(of: challenge.enrollment),
            !server.enrolled[index].isRemoved, !spoiled.contains(name),
            !spoiled.contains(challenge.enrollment), !isMisled(challenge.enrollment)
        else { return }
        guard let record = final.records.first(where: { $0.id.name == name }) else {
            let id = Challenge.ID(name, of: server.id(of: server.enrolled[index]))
            if let verdict = trace(of: id), verdict != .mentioned {
                return judge(challenge, leaving: verdict)
            }
            guard !mayBeForgotten(challenge) else { return }
            if server.isOpen(challenge), server.options.capabilities.contains(.pendingList) {
                violate(.found, "\(name) is open at the server, and unknown to the device")
            }
            if server.arrivals.contains(where: { $0.challenge == name }) {
                violate(.nothingLost, "\(name) was answered, and is unknown to the device")
            }
            return
        }
        switch record.state {
        case .open:
            let last = server.arrivals.last { $0.challenge == name }
            let isLost = last.map { $0.verdict != .wrongStillOpen && $0.verdict != .refused }
            if let last, isLost == true, !server.copied.contains(name) {
                violate(.nothingLost, "\(name): the device forgot \(last.choice)")
            }
            if server.options.tellsEnds, overAtLastPoll.contains(name) {
                violate(.ended, "\(name) is over, but open on the device")
            }
        case .decided(let resolution):
            if server.isOpen(challenge) && server.options.knowsStatus
                || server.options.canTell
            {
                violate(.nothingLost, "\(name): \(resolution) is still on its way")
            }
        case .answered(let resolution, let outcome): judge(challenge, resolution, outcome)
        case .over(let withdrawal):
            if server.isOpen(challenge) {
                violate(.found, "\(name) is open, but \(withdrawal.reason) on the device")
            }
        @unknown default: violate(.noSurprise, "\(name): an unknown state")
        }
    }

    /// Of a challenge that is over for long, a trace tells that it is.
    private func judge(
        _ challenge: WatchedServer.Asked, leaving verdict: RecordedDocument.Verdict
    ) {
        guard server.isOpen(challenge) else { return }
        violate(
            verdict == .over ? .found : .nothingLost,
            "\(challenge.name) is open, but a trace says \(verdict)")
    }

    private func judge(
        _ challenge: WatchedServer.Asked, _ resolution: Resolution, _ outcome: Outcome
    ) {
        let name = challenge.name
        compare(outcome, of: AcmeWire.choice(resolution), on: name)
        if server.isOpen(challenge) {
            violate(.nothingLost, "\(name) is open, but \(outcome) on the device")
        }
        // After its expiry nothing is sent, and a vendor without a status can't be asked.
        let isAsked = server.options.knowsStatus || !server.hasExpired(challenge)
        if case .unknown = outcome, server.options.canTell, isAsked {
            violate(.trueWords, "\(name): the vendor can tell what became of it")
        }
    }
}

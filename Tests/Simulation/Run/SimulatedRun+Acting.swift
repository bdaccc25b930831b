import PushCore

extension SimulatedRun {
    /// What the user wants.
    enum Intent: CaseIterable {
        case yes, wrongNumber, deny, denyAsFraud
    }

    /// Hands a push to a process.
    func receive(_ index: Int, _ push: JSON, forged: Bool = false) {
        guard let life = processes.isEmpty ? nil : processes[index].life else { return }
        call(index, "receive \(push["acme"]?.string ?? "")") {
            [self] authenticator throws(PushError) in
            let endedBefore = ended
            let receptions = try await authenticator.receive(try PushMessage(json: push.data))
                .receptions
            if forged, isBelieved(receptions) {
                violate(.seenOnce, "a forged push was believed")
            }
            take(receptions, life, endedBefore: endedBefore)
            received(receptions, from: push)
            return "\(receptions.count) receptions"
        }
    }

    /// Takes what a call returned.
    ///
    /// `endedBefore` is what was over when the call began: it may have found something before that
    /// ended, and return it late.
    func take(_ receptions: [Reception], _ life: Life, endedBefore: Set<Challenge.ID>) {
        guard life.isAlive else { return }
        for reception in receptions {
            if case .over(let withdrawal) = reception.kind {
                ended.insert(withdrawal.id)
                noteEnd(withdrawal)
            }
            guard case .notice(let notice, _) = reception.kind else { continue }
            if reception.isNew, !settings.forgetsSoon, endedBefore.contains(notice.id),
                !spoiled.contains(notice.id.name), !spoiled.contains(notice.id.enrollment.name)
            {
                violate(.seenOnce, "\(notice.id.name) was over, and is announced as new")
            }
            if !known.contains(notice.id) { known.append(notice.id) }
            // A replay of what was forgotten may be new again until the server's time is known.
            if reception.isNew, !mayBeForgotten(notice.id) {
                announcedAsNew.append(notice.id.name)
            }
            note("p\(life.process) has \(notice.id.name)\(reception.isNew ? " (new)" : "")")
        }
    }

    func poll(_ index: Int) {
        let life = processes[index].life
        life.otherQuestions += askers
        call(index, "pending") { [self] authenticator throws(PushError) in
            let endedBefore = ended
            let (found, failures) = try await authenticator.pending()
            take(found, life, endedBefore: endedBefore)
            return "\(found.count) found, \(failures.count) failures"
        }
    }

    func resume(_ index: Int) {
        call(index, "resume") { authenticator throws(PushError) in
            try await authenticator.resume().map { "\($0.key.name) \($0.value)" }.sorted()
                .joined(separator: ", ")
        }
    }

    /// Opens a challenge and answers it.
    @discardableResult
    func resolve(
        _ index: Int, _ id: Challenge.ID, _ intent: Intent, patience: Int = 2
    ) -> Call? {
        let life = processes[index].life
        return call(index, "resolve \(id.name) \(intent)") {
            [self] authenticator throws(PushError) in
            let challenge = try await authenticator.challenge(id)
            await hop()
            let resolution = resolution(of: intent, for: challenge)
            decided(resolution, on: id)
            let outcome = try await authenticator.resolve(challenge, with: resolution)
            guard life.isAlive else { return "" }
            judge(outcome, of: resolution, on: id)
            if patience > 0, !isHealed { follow(index, id, intent, outcome, patience - 1) }
            return "\(outcome)"
        }
    }

    /// A user who isn't heard says it again, and one who may choose again may choose otherwise.
    private func follow(
        _ index: Int, _ id: Challenge.ID, _ intent: Intent, _ outcome: Outcome, _ patience: Int
    ) {
        switch outcome {
        case .unknown where draw.percent(40): resolve(index, id, intent, patience: patience)
        case .notTaken(let refusal) where refusal.mayRetry && draw.percent(60):
            resolve(index, id, draw.pick(Intent.allCases), patience: patience)
        case .delivered, .notTaken, .expired, .answeredElsewhere, .cancelled, .code, .ended,
            .verifyAgain, .unknown:
            break
        }
    }

    /// Says no to a challenge unopened.
    func deny(_ index: Int, _ id: Challenge.ID) {
        let life = processes[index].life
        call(index, "deny \(id.name)") { [self] authenticator throws(PushError) in
            decided(.deny(.unexpected), on: id)
            let outcome = try await authenticator.deny(id)
            if life.isAlive { judge(outcome, of: .deny(.unexpected), on: id) }
            return "\(outcome)"
        }
    }

    func changeToken(_ index: Int) {
        names += 1
        let service = draw.pick(services)
        let new: DeviceToken =
            switch service {
            case .apns: .apns(hex: String(0x1000_0000 + names, radix: 16), isSandbox: false)
            case .fcm: .fcm("token\(names)")
            }
        if service != services.first { tally.count(.secondService) }
        let token = draw.percent(90) ? new : nil
        call(index, "token \(token.map { "\($0)" } ?? "none \(service)")") {
            authenticator throws(PushError) in
            guard let token else {
                return "\(try await authenticator.deviceTokenRemoved(of: service).count) failures"
            }
            return "\(try await authenticator.deviceTokenChanged(token).count) failures"
        }
    }

    /// Brings a process one push many times.
    func flood(_ index: Int, with push: JSON, forged: Bool) {
        tally.count(.flood)
        let life = processes[index].life
        let spacing = draw.pick([0, 20, 150])
        for number in 0..<(20 + draw.below(31)) {
            after(number * spacing) { [self] in
                guard life.isAlive, !isHealed else { return }
                receive(index, push, forged: forged)
            }
        }
    }

    // MARK: What happens to a device

    /// A place with a living process; starts one if need be.
    func aliveProcess() -> Int {
        let index = draw.below(processes.count)
        if processes[index].authenticator == nil { start(index) }
        return index
    }

    /// The network is gone for a while, or comes back; or the store is locked, or opened.
    func breakDown() {
        if draw.percent(60), settings.networkFaults > 0 {
            isOffline.toggle()
            tally.count(.offline)
            note("the network is \(isOffline ? "down" : "up")")
        } else if settings.storeFaults > 0 {
            isLocked.toggle()
            tally.count(.locked)
            note("the store is \(isLocked ? "locked" : "open")")
        }
    }

    func setWallClock() {
        deviceSkew = draw.pick([3_600_000, -3_600_000, 90 * 86_400_000, -Self.start, 0])
        tally.count(.clockSet)
        note("device clock is off by \(deviceSkew)")
    }

    func cancelCaller() {
        let running = calls.filter { !$0.isDone && $0.life.isAlive }
        guard !running.isEmpty else { return }
        let call = draw.pick(running)
        note("p\(call.life.process) gives up \(call.name)")
        tally.count(.callGivenUp)
        call.task?.cancel()
    }
}

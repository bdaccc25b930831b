import PushCore

extension World {
    /// What the user wants.
    enum Intent: CaseIterable {
        case yes, wrongNumber, deny, denyAsFraud

        func resolution(for prompt: Challenge.Prompt) -> Resolution {
            switch (self, prompt) {
            case (.deny, _): .deny(.unexpected)
            case (.denyAsFraud, _): .deny(.fraud)
            case (.wrongNumber, .choose): .choose("12")
            case (_, .choose): .choose(DeltaWire.right)
            default: .approve
            }
        }
    }

    /// Hands a push to a process.
    func receive(_ index: Int, _ push: JSON, forged: Bool = false) {
        guard let life = processes.isEmpty ? nil : processes[index].life else { return }
        call(index, "receive \(push["delta"]?.string ?? "")") {
            [self] authenticator throws(PushError) in
            let receptions = try await authenticator.receive(try PushMessage(json: push.data))
            if forged { violate(.seenOnce, "a forged push was believed") }
            hear(receptions, life)
            return "\(receptions.count) receptions"
        }
    }

    func hear(_ receptions: [Reception], _ life: Life) {
        guard life.isAlive else { return }
        for reception in receptions {
            guard case .notice(let notice, _) = reception.kind else { continue }
            if !known.contains(notice.id) { known.append(notice.id) }
            if reception.isNew { announcedAsNew.append(notice.id.name) }
            note("p\(life.process) has \(notice.id.name)\(reception.isNew ? " (new)" : "")")
        }
    }

    func poll(_ index: Int) {
        let life = processes[index].life
        call(index, "pending") { [self] authenticator throws(PushError) in
            let (found, failures) = try await authenticator.pending()
            hear(found, life)
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
    func resolve(_ index: Int, _ id: Challenge.ID, _ intent: Intent) -> Call? {
        let life = processes[index].life
        return call(index, "resolve \(id.name) \(intent)") {
            [self] authenticator throws(PushError) in
            let challenge = try await authenticator.challenge(id)
            await hop()
            let resolution = intent.resolution(for: challenge.prompt)
            let outcome = try await authenticator.resolve(challenge, with: resolution)
            hear(outcome, of: resolution, on: id, life)
            return "\(outcome)"
        }
    }

    /// Says no to a challenge unopened.
    func deny(_ index: Int, _ id: Challenge.ID) {
        let life = processes[index].life
        call(index, "deny \(id.name)") { [self] authenticator throws(PushError) in
            let outcome = try await authenticator.deny(id)
            hear(outcome, of: .deny(.unexpected), on: id, life)
            return "\(outcome)"
        }
    }

    /// Compares what the app is told with what the server knows.
    private func hear(
        _ outcome: Outcome, of resolution: Resolution, on id: Challenge.ID, _ life: Life
    ) {
        guard life.isAlive else { return }
        compare(outcome, of: DeltaWire.choice(resolution), on: id.name)
    }

    func compare(_ outcome: Outcome, of choice: String, on name: String) {
        guard let challenge = server.challenge(name),
            let index = server.index(of: challenge.enrollment)
        else { return }
        let isTaken = challenge.state == .taken(choice)
        switch outcome {
        case .delivered where !isTaken:
            violate(.trueWords, "\(name): \(choice) is said to be delivered, and isn't")
        case .delivered, .unknown, .verifyAgain: return
        case .notTaken(let refusal) where refusal.mayRetry: return
        default:
            // A copy made by the network, or a server that no longer knows the device, says no to
            // what was taken.
            if isTaken, !challenge.wasCopied, !server.enrolled[index].isRemoved {
                violate(.trueWords, "\(name): \(choice) was taken, and is said to be \(outcome)")
            }
        }
    }

    func enroll(_ index: Int) {
        names += 1
        let code = "code\(names)"
        server.codes.insert(code)
        let account = draw.pick(["ada", "bob", "cyd"])
        call(index, "enroll \(account)") { authenticator throws(PushError) in
            let offers = try authenticator.offers(for: .scanned(text: "delta:\(account):\(code)"))
            guard let offer = offers.first else { return "no offer" }
            let enrollment = try await authenticator.enroll(offer)
            return "\(enrollment.id.name) \(enrollment.state)"
        }
    }

    func changeToken(_ index: Int) {
        names += 1
        let token: DeviceToken? = draw.percent(90) ? .fcm("token\(names)") : nil
        call(index, "token \(token.map { "\($0)" } ?? "none")") { authenticator throws(PushError) in
            "\(try await authenticator.deviceTokenChanged(token).count) failures"
        }
    }

    func refresh(_ index: Int, _ enrollment: String) {
        call(index, "refresh \(enrollment)") { authenticator throws(PushError) in
            "\(try await authenticator.refresh(Enrollment.ID(enrollment, of: "delta")).state)"
        }
    }

    func remove(_ index: Int, _ enrollment: String) {
        call(index, "remove \(enrollment)") { authenticator throws(PushError) in
            try await authenticator.remove(Enrollment.ID(enrollment, of: "delta"))
            return "done"
        }
    }
}

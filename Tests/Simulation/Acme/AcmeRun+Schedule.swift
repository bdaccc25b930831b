import PushCore

@testable import FictionalVendor

extension AcmeRun {
    func playSchedule() {
        for index in 0..<settings.processes { start(index) }
        for _ in 0..<(1 + draw.below(2)) { enroll(0) }
        run(draw.percent(70) ? .max : draw.below(80))
        if draw.percent(40) { changeToken(0) }
        for _ in 0...draw.below(2) { login() }
        for _ in 0..<settings.actions {
            guard steps < Self.stepLimit else { break }
            act()
            if isOffline || isLocked, draw.percent(25) { (isOffline, isLocked) = (false, false) }
            run(draw.percent(30) ? .max : draw.below(60))
            if draw.percent(40) { advance(draw.pick([50, 500, 3000, 10_000])) }
        }
        settle()
        judge()
        tearDown()
    }

    private func act() {
        let index = aliveProcess()
        switch draw.below(104) {
        case 0..<12: login()
        case 12..<42: decide(index)
        case 42..<52: contradict(index)
        case 52..<57: if let id = pickKnown() { deny(index, id) }
        case 57..<61: poll(index)
        case 61..<66: resume(index)
        case 66..<71: withdraw()
        case 71..<75: replay(index)
        case 75..<78: forge(index)
        case 78..<81: changeToken(index)
        case 81..<83: enroll(index)
        case 83..<85: if let id = pickEnrolled() { remove(index, id) }
        case 85..<87: if let id = pickEnrolled() { refresh(index, id) }
        case 87..<90: setWallClock()
        case 90..<93: advance(draw.pick([30_000, 60_000, 300_000]))
        case 93..<95: if settings.damages { damage() } else { breakDown() }
        case 95..<98: if settings.kills > 0 { kill(processes[index].life) }
        case 98..<100: cancelCaller()
        default: flood(index)
        }
    }

    private func pickKnown() -> Challenge.ID? {
        guard !known.isEmpty else { return nil }
        let open = known.filter { server.challenge($0.name).map(server.isOpen) ?? false }
        if !open.isEmpty, draw.percent(70) { return draw.pick(open) }
        return draw.percent(60) ? known.last : draw.pick(known)
    }

    private func pickEnrolled() -> Enrollment.ID? {
        server.enrolled.isEmpty ? nil : server.id(of: draw.pick(server.enrolled))
    }

    private func decide(_ index: Int) {
        guard let id = pickKnown() else { return login() }
        tally.count(.decision)
        resolve(index, id, draw.pick([.yes, .yes, .wrongNumber, .deny, .denyAsFraud]))
    }

    /// A double tap, or two decisions at once, in one process or in two.
    private func contradict(_ index: Int) {
        guard let id = pickKnown() else { return login() }
        tally.count(.contradiction)
        let first: Intent = draw.pick([.yes, .wrongNumber, .deny])
        let second: Intent = draw.percent(40) ? first : draw.pick([.yes, .wrongNumber, .deny])
        if first == second { tally.count(.doubleTap) }
        resolve(index, id, first)
        run(draw.below(30))
        resolve(aliveProcess(), id, second)
    }

    private func login() {
        guard let enrollment = pickEnrolled() else { return enroll(aliveProcess()) }
        names += 1
        let name = "c\(names)"
        let prompt = draw.percent(40) ? "choose" : "approve"
        let life = draw.pick([0, 0, 20_000, 120_000, 600_000, 14_400_000])
        let expiry = life == 0 ? nil : serverNow + life
        let ahead = draw.percent(8) ? draw.pick([540_000, 3_000_000, 90_000_000, 900_000_000]) : 0
        let push = server.ask(
            enrollment.name, prompt, name: name, expiry: expiry, ahead: ahead)
        guard let push else { return }
        askedAt[name] = serverNow
        if ahead > 0 { tally.count(.farPush) }
        note("server asks \(name) of \(enrollment.name), \(prompt), \(life) ms, ahead \(ahead)")
        pushes.append(push)
        for _ in 0..<draw.pick([0, 1, 1, 1, 1, 1, 1, 2, 2]) { carry(push) }
    }

    /// Delivers a push, at once or late.
    private func carry(_ push: JSON) {
        let index = draw.below(processes.count)
        tally.count(.push)
        let delay = draw.pick([0, 0, 0, 0, 1000, 5000, 40_000])
        after(delay) { [self] in
            if processes[index].authenticator == nil, draw.percent(50), !isHealed { start(index) }
            receive(index, push)
        }
        if delay == 0 { advance(0) }
    }

    private func replay(_ index: Int) {
        guard !pushes.isEmpty else { return login() }
        tally.count(.replay)
        receive(index, draw.pick(pushes))
    }

    private func withdraw() {
        let open = server.asked.filter { server.isOpen($0) }
        guard !open.isEmpty else { return }
        let challenge = draw.pick(open)
        let state: WatchedServer.State = draw.percent(60) ? .cancelled : .elsewhere
        server.change(challenge.name, of: challenge.enrollment) { $0.state = state }
        tally.count(.withdrawal)
        note("server ends \(challenge.name): \(state)")
        if let changed = server.challenge(challenge.name), draw.percent(70),
            let push = server.withdrawal(of: changed)
        {
            carry(push)
        } else {
            tally.count(.endedUnpushed)
        }
    }

    /// Many hints at once, of which nobody proved one, and the user's answer among them.
    private func flood(_ index: Int) {
        guard server.options.pushesHints, let enrollment = pickEnrolled() else { return withdraw() }
        flood(index, with: WatchedServer.hint(to: enrollment), forged: true)
        let own = known.filter { $0.enrollment == enrollment }
        guard !own.isEmpty else { return }
        let (id, intent) = (draw.pick(own), draw.pick([Intent.yes, .deny]))
        after(draw.below(2000)) { [self] in
            if processes[index].authenticator != nil { resolve(index, id, intent) }
        }
    }

    private func forge(_ index: Int) {
        let enrollment = pickEnrolled() ?? Enrollment.ID("nobody", of: "acme")
        tally.count(.forgery)
        let key = draw.pick(["", "key", enrollment.name])
        let forged: JSON =
            switch draw.pick(["ask", "cancel", "hint"]) {
            case "hint": WatchedServer.hint(to: enrollment)
            case let kind:
                WatchedServer.push(
                    JSON.object(["kind": .string(kind), "id": "forged", "prompt": "approve"]).text,
                    to: enrollment, key: key)
            }
        receive(index, forged, forged: true)
    }
}

import PushCore
import PushTesting

extension PluginRun {
    func playSchedule() {
        for index in 0..<settings.processes { start(index) }
        changeToken(0)
        run()
        for _ in 0..<(1 + draw.below(2)) { enroll(0) }
        run(draw.percent(70) ? .max : draw.below(80))
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
        if let errand = plugin.errand, draw.percent(8) { return run(errand, in: index) }
        switch draw.below(plugin.refuse == nil ? 104 : 107) {
        case 0..<15: login()
        case 15..<45: decide(index)
        case 45..<57: contradict(index)
        case 57..<62: if let id = pickKnown() { deny(index, id) }
        case 62..<66: poll(index)
        case 66..<71: resume(index)
        case 71..<76: replay(index)
        case 76..<80: forge(index)
        case 80..<82: changeToken(index)
        case 82..<84: enroll(index)
        case 84..<85: remove(index)
        case 85..<88: setWallClock()
        case 88..<91: advance(draw.pick([30_000, 60_000, 300_000]))
        case 91..<92: breakDown()
        case 92..<93: if settings.damages { damage() }
        case 93..<97: if settings.kills > 0 { kill(processes[index].life) }
        case 97..<100: cancelCaller()
        case 100..<102: end()
        case 104..<107: refuseForNow()
        default: flood(index)
        }
    }

    private func pickKnown() -> Challenge.ID? {
        guard !known.isEmpty else { return nil }
        return draw.percent(70) ? known.last : draw.pick(known)
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

    private func enroll(_ index: Int) {
        names += 1
        let user = "user\(names)"
        users.append(user)
        let simulator = plugin.simulator
        call(index, "enroll \(user)") { [self] authenticator throws(PushError) in
            let invitation = try await simulator.invitation(for: user)
            guard let offer = try authenticator.offers(for: invitation).first else {
                return "no offer"
            }
            let enrollment = try await authenticator.enroll(offer)
            tally.count(.enrolled)
            return "\(enrollment.id.name) \(enrollment.state)"
        }
    }

    /// Does what the app can do with an enrollment besides answering.
    private func run(_ errand: @escaping Plugin.Errand, in index: Int) {
        guard let id = known.isEmpty ? nil : draw.pick(known).enrollment else { return login() }
        let world = environment(of: processes[index].life)
        let number = draw.below(100)
        call(index, "errand \(number) of \(id.name)") { [self] authenticator throws(PushError) in
            let result = try await errand(world, authenticator, id, number)
            tally.count(.errand)
            return result
        }
    }

    private func remove(_ index: Int) {
        guard let id = known.isEmpty ? nil : draw.pick(known).enrollment else { return }
        removed.insert(id)
        call(index, "remove \(id.name)") { [self] authenticator throws(PushError) in
            try await authenticator.remove(id)
            tally.count(.removed)
            return "done"
        }
    }

    /// Starts a login, and carries what the server pushes.
    private func login() {
        guard !users.isEmpty else { return enroll(aliveProcess()) }
        let user = draw.pick(users)
        let kind = draw.pick(plugin.kinds)
        let simulator = plugin.simulator
        isAsking = true
        Task { [self] in
            defer { isAsking = false }
            guard let login = try? await simulator.startLogin(of: user, asking: kind) else {
                return note("no login of \(user) yet")
            }
            let names =
                if let challengeNames = plugin.challengeNames {
                    await challengeNames(login.id)
                } else {
                    plugin.pushesAreHints ? [login.id] : []
                }
            logins.append(
                Login(login: login, user: user, kind: kind, start: elapsed, names: names))
            note("login \(login.id) of \(user), \(kind)")
            for push in await simulator.takePushes() {
                guard let payload = try? JSON(parsing: push.payload) else { continue }
                pushes.append((payload, logins.count - 1))
                for _ in 0..<draw.pick([0, 1, 1, 1, 1, 1, 1, 2, 2]) { carry(payload) }
            }
        }
        while isAsking, steps < Self.stepLimit { run(1) }
    }

    /// Delivers a push, at once or late.
    private func carry(_ push: JSON) {
        let index = draw.below(processes.count)
        tally.count(.push)
        after(draw.pick([0, 0, 0, 0, 1000, 5000, 40_000])) { [self] in
            if processes[index].authenticator == nil, draw.percent(50), !isHealed { start(index) }
            receive(index, push)
        }
    }

    private func replay(_ index: Int) {
        guard !pushes.isEmpty else { return login() }
        tally.count(.replay)
        receive(index, draw.pick(pushes).payload)
    }

    /// A push many times at once; where pushes are hints, whoever sees one can send it.
    private func flood(_ index: Int) {
        guard !pushes.isEmpty else { return login() }
        flood(index, with: draw.pick(pushes).payload, forged: plugin.pushesAreHints)
    }

    /// Ends a login at the server, and tells nobody.
    private func end() {
        let waiting = logins.indices.filter { logins[$0].status == .waiting }
        guard let end = plugin.end, !waiting.isEmpty else { return login() }
        let id = logins[draw.pick(waiting)].login.id
        tally.count(.endedUnpushed)
        note("server ends \(id)")
        isAsking = true
        Task { [self] in
            await end(id)
            await watch()
            isAsking = false
        }
        while isAsking, steps < Self.stepLimit { run(1) }
    }

    /// The server refuses all that a user answers, for a while, with the word for a wrong answer.
    private func refuseForNow() {
        guard !users.isEmpty else { return login() }
        tally.count(.refusedForNow)
        refusing[draw.pick(users)] = elapsed + draw.pick([500, 3000, 10_000])
    }

    /// A push with one character of its longest text changed.
    private func forge(_ index: Int) {
        guard !pushes.isEmpty else { return login() }
        tally.count(.forgery)
        let payload = draw.pick(pushes).payload
        var longest = ""
        payload.visitTexts { if $0.utf8.count > longest.utf8.count { longest = $0 } }
        guard let forged = forged(longest) else { return }
        receive(index, payload.replacing(longest, with: forged), forged: true)
    }

    /// A text with one character changed. Where a text holds JSON, it is the longest text in that:
    /// what stands beside a signed text may be nobody's word, such as a title.
    private func forged(_ text: String) -> String? {
        if let inner = try? JSON(parsing: text), inner.object != nil {
            var longest = ""
            inner.visitTexts { if $0.utf8.count > longest.utf8.count { longest = $0 } }
            return forged(longest).map { inner.replacing(longest, with: $0).text }
        }
        var bytes = Array(text.utf8)
        guard bytes.count > 8 else { return nil }
        // Not the last characters: some of their bits mean nothing in base64.
        let place = draw.below(bytes.count - 4)
        bytes[place] = bytes[place] == 0x41 ? 0x42 : 0x41
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSON {
    fileprivate func visitTexts(_ visit: (String) -> Void) {
        switch self {
        case .string(let text): visit(text)
        case .array(let values): for value in values { value.visitTexts(visit) }
        case .object(let object): for member in object.members { member.value.visitTexts(visit) }
        default: break
        }
    }

    fileprivate func replacing(_ old: String, with new: String) -> JSON {
        switch self {
        case .string(let text): .string(text == old ? new : text)
        case .array(let values): .array(values.map { $0.replacing(old, with: new) })
        case .object(let object):
            .object(.init(object.members.map { ($0.name, $0.value.replacing(old, with: new)) }))
        default: self
        }
    }
}

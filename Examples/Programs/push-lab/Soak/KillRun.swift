import PushCore
import PushTesting

/// Kills a device's process again and again while it works, and checks what is left each time.
struct KillRun {
    var tally = SoakTally(
        ["kills", "decisions"] + SoakTally.Point.allCases.map(\.rawValue)
            + SoakTally.Part.allCases.map(\.rawValue))
    var violations: [Violation] = []
    let random: SeededRandom
    let site: SoakSite
    var device: Peer
    /// The users with an enrollment at AM, oldest first.
    var users: [String] = []
    /// The user of the one personalization that a device may have at a manager.
    var holder = ""
    /// The logins whose enrollment is still there.
    var logins: [LoginFacts] = []
    var halves: Set<String> = []
    var removed: Set<String> = []
    /// The newest device token that was acknowledged, and one given after it, perhaps in vain.
    var tokens: (acknowledged: String, attempted: String?) = ("0A0B0C0D", nil)
    private let kills: Int
    private var lastNumber = 0

    init(kills: Int, random: SeededRandom, at site: SoakSite) throws {
        self.kills = kills
        self.random = random
        self.site = site
        device = try site.device("soak")
    }

    /// Kills until enough were killed, or something goes wrong.
    mutating func run(_ progress: DemoProgress) async throws {
        do {
            try await begin()
            while tally["kills"] < kills, violations.isEmpty {
                progress.begin("kill and resume", tally["kills"] + 1, of: kills)
                try await cycle()
            }
            if violations.isEmpty { try await finish() }
        } catch {
            await noteEnd()
            await device.kill()
            if error is CancellationError { throw error }
            if violations.isEmpty { violations.append(Violation(.calls, "\(error)")) }
        }
        await device.kill()
    }

    private mutating func begin() async throws {
        try await device.call("token", ["token": .string(tokens.acknowledged)])
        let user = newUser()
        // The server may be in trouble: the first enrollment isn't what is tested.
        while try await site.devices(user).isEmpty {
            do {
                try await device.call("enroll", ["code": .string(site.invite(user))])
            } catch Peer.Failure.refused(let code, _) where code.hasPrefix("server") {
                continue
            }
        }
        users.append(user)
        try await noteHalves(of: user)
        try await device.call("token", ["token": "soak", "service": "fcm"])
        try await personalize()
    }

    /// Personalizes the device at the manager; that isn't tested either.
    mutating func personalize() async throws {
        holder = newUser()
        let code = try await site.invite(holder, to: .part)
        while true {
            do {
                let reply = try await device.call("enroll", ["code": .string(code)])
                if reply["active"]?.bool == true { return }
            } catch Peer.Failure.refused(let code, _) where code.hasPrefix("server") {
                continue
            }
        }
    }

    private mutating func newUser() -> String {
        lastNumber += 1
        return "user-\(lastNumber)"
    }

    // MARK: One cycle

    private mutating func cycle() async throws {
        var cycle = Cycle(first: logins.count)
        let work = try await prepare()
        let results = try await runAndKill(work)
        try await note(results, &cycle)
        while random.oneIn(4) { try await killWhileResuming(&cycle) }
        device = try site.device("soak")
        try await device.call("resume")
        try await settle(cycle)
    }

    /// What a cycle is about.
    struct Cycle {
        /// The index of its first login.
        let first: Int
        /// The user that was to be enrolled.
        var newcomer: String?
        /// The logins whose answer was found kept in part, without a last word, after a kill; and how
        /// long the server's log was then.
        var parts: [String: Int] = [:]
    }

    /// Draws what the device has to do when it is killed.
    private mutating func prepare() async throws -> [KillWork] {
        var work: [KillWork] = []
        let isDelivered = !random.oneIn(3)
        for _ in 0...random.below(4) {
            let vendor: SoakVendor = random.oneIn(2) ? .part : .whole
            let user = vendor == .part ? holder : users[random.below(users.count)]
            var login = try await site.login(user, at: vendor, number: random.oneIn(2))
            if isDelivered {
                try login.note(
                    delivery: await device.call("receive", ["payload": .string(login.payload)]))
            }
            var choices = [login.validChoices[random.oneIn(3) ? 1 : 0]]
            if let wrong = login.wrongNumber, random.oneIn(3) { choices.insert(wrong, at: 0) }
            let mistyping = vendor == .part && random.oneIn(4)
            if mistyping { choices.insert(.approve, at: 0) }
            work.append(.login(login, choices, mistyping: mistyping))
        }
        if random.oneIn(3) {
            let user = newUser()
            work.append(.enroll(user: user, code: try await site.invite(user)))
        }
        if random.oneIn(4) {
            let number = random.next() | 1 << 63
            work.append(.token(String(number, radix: 16, uppercase: true)))
        }
        return work
    }

    private mutating func runAndKill(_ work: [KillWork]) async throws -> [KillWork.Result] {
        var pause = random.pause(upTo: random.oneIn(2) ? 60 : 30)
        let device = device
        let site = site
        // A yes with a PIN is long in coming: half of the kills wait until it is at the server.
        let awaitsApproval = work.contains(where: \.takesPIN) && random.oneIn(2)
        let approvals = awaitsApproval ? try await site.approvals() : 0
        if awaitsApproval { pause = random.pause(upTo: 12) }
        return try await withThrowingTaskGroup(of: KillWork.Result?.self) { group in
            for item in work { group.addTask { try await item.run(on: device) } }
            group.addTask { [pause] in
                if awaitsApproval { _ = try? await site.approvals(after: approvals) }
                try? await Task.sleep(for: pause)
                await device.kill()
                return nil
            }
            return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
    }

    private mutating func killWhileResuming(_ cycle: inout Cycle) async throws {
        let device = try site.device("soak")
        // Sometimes before it has even opened the store.
        if !random.oneIn(4) { try await device.call("hello") }
        let waiting = logins[cycle.first...].filter { cycle.parts[$0.id] != nil }
        let pause = random.pause(upTo: waiting.isEmpty ? 40 : 120)
        async let resuming = KillWork.resume(waiting, on: device)
        try? await Task.sleep(for: pause)
        await device.kill()
        for login in try await resuming { replace(login) }
        tally.add("kills while resuming")
        try await look(&cycle)
    }

    private mutating func replace(_ login: LoginFacts) {
        guard let index = logins.firstIndex(where: { $0.id == login.id }) else { return }
        logins[index] = login
    }

    // MARK: What was seen

    private mutating func note(
        _ results: [KillWork.Result], _ cycle: inout Cycle
    ) async throws {
        tally.add("kills")
        var planned: [[Choice]] = []
        for result in results {
            switch result {
            case .login(let login, let choices):
                logins.append(login)
                planned.append(choices)
                if choices.count > 1 {
                    let wrong = login.vendor == .part ? "PIN" : "number"
                    tally.add("logins with a wrong \(wrong) first")
                }
            case .enrollment(let user):
                cycle.newcomer = user
            case .token(let token, let isAcknowledged):
                tokens = isAcknowledged ? (token, nil) : (tokens.acknowledged, token)
                tally.add("device tokens")
            }
        }
        guard let (snapshot, checks) = try await look(&cycle) else { return }
        for (login, choices) in zip(logins[cycle.first...], planned) {
            tally.add(Self.point(of: login, choices, snapshot, checks))
        }
    }

    private static func point(
        of login: LoginFacts, _ planned: [Choice], _ snapshot: StoreSnapshot, _ checks: SoakChecks
    ) -> SoakTally.Point {
        if login.acknowledged.count == planned.count { return .after }
        let row = login.names.flatMap { snapshot.rows[$0.challenge] }
        if row?.outcome != nil { return .settled }
        guard let choice = row?.choice else { return .before }
        return checks.hasArrived(choice, for: login.id) ? .sent : .recorded
    }

    /// Reads the store while no device runs, and remembers the decisions in it.
    @discardableResult
    private mutating func look(
        _ cycle: inout Cycle
    ) async throws -> (snapshot: StoreSnapshot, checks: SoakChecks)? {
        let checks = SoakChecks(try site.exchanges())
        do {
            let snapshot = try await site.store.snapshot()
            violations += SoakChecks.damaged(snapshot)
            violations += checks.parts.leaks(in: snapshot, of: logins[cycle.first...])
            for index in logins.indices[cycle.first...] {
                guard let names = logins[index].names,
                    let choice = snapshot.rows[names.challenge]?.choice
                else { continue }
                logins[index].kept.insert(choice)
                guard snapshot.kept[names.challenge]?.form == "part" else { continue }
                let id = logins[index].id
                cycle.parts[id] = cycle.parts[id] ?? checks.end
            }
            return (snapshot, checks)
        } catch let error as PushError {
            violations.append(Violation(.store, "\(error.code): \(error.reason)"))
            return nil
        }
    }

    private mutating func noteEnd() async {
        if let end = await device.unexpectedEnd() { violations.append(Violation(.life, end)) }
    }
}

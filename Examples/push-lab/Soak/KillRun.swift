import PushCore
import PushTesting

/// Kills a device's process again and again while it works, and checks what is left each time.
struct KillRun {
    var tally = SoakTally(["kills", "decisions"] + SoakTally.Point.allCases.map(\.rawValue))
    var violations: [Violation] = []
    let random: SeededRandom
    let site: SoakSite
    var device: Peer
    /// The users with an enrollment, oldest first.
    var users: [String] = []
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
    }

    /// Draws what the device has to do when it is killed.
    private mutating func prepare() async throws -> [KillWork] {
        var work: [KillWork] = []
        let isDelivered = !random.oneIn(3)
        for _ in 0...random.below(4) {
            let user = users[random.below(users.count)]
            var login = try await site.login(user, number: random.oneIn(2))
            if isDelivered {
                try login.note(
                    delivery: await device.call("receive", ["payload": .string(login.payload)]))
            }
            var choices = [login.validChoices[random.oneIn(3) ? 1 : 0]]
            if let wrong = login.wrongNumber, random.oneIn(3) { choices.insert(wrong, at: 0) }
            work.append(.login(login, choices))
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
        let pause = random.pause(upTo: random.oneIn(2) ? 60 : 30)
        let device = device
        return try await withThrowingTaskGroup(of: KillWork.Result?.self) { group in
            for item in work { group.addTask { try await item.run(on: device) } }
            group.addTask {
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
        let pause = random.pause(upTo: 40)
        async let resuming = try? device.call("resume")
        try? await Task.sleep(for: pause)
        await device.kill()
        _ = await resuming
        tally.add("kills while resuming")
        try await look(cycle)
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
                if choices.count > 1 { tally.add("logins with a wrong number first") }
            case .enrollment(let user):
                cycle.newcomer = user
            case .token(let token, let isAcknowledged):
                tokens = isAcknowledged ? (token, nil) : (tokens.acknowledged, token)
                tally.add("device tokens")
            }
        }
        guard let snapshot = try await look(cycle) else { return }
        let checks = SoakChecks(try site.exchanges())
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
    mutating func look(_ cycle: Cycle) async throws -> StoreSnapshot? {
        do throws(PushError) {
            let snapshot = try await site.store.snapshot()
            violations += SoakChecks.damaged(snapshot)
            for index in logins.indices[cycle.first...] {
                guard let names = logins[index].names,
                    let choice = snapshot.rows[names.challenge]?.choice
                else { continue }
                logins[index].kept.insert(choice)
            }
            return snapshot
        } catch {
            violations.append(Violation(.store, "\(error.code): \(error.reason)"))
            return nil
        }
    }

    private mutating func noteEnd() async {
        if let end = await device.unexpectedEnd() { violations.append(Violation(.life, end)) }
    }
}

import Foundation
import PushCore
import PushTesting

/// Two processes that share one store answer the same challenges at the same instants.
struct PairRun {
    var tally = SoakTally(["rounds"])
    var violations: [Violation] = []
    let random: SeededRandom
    let site: SoakSite
    var devices: [Peer] = []
    var logins: [LoginFacts] = []
    /// How many of them have been compared with the store.
    private var checked = 0
    private let rounds: Int

    static let user = "jane"
    static let names = ["soak-a", "soak-b"]

    init(rounds: Int, random: SeededRandom, at site: SoakSite) throws {
        self.rounds = rounds
        self.random = random
        self.site = site
        for name in Self.names { devices.append(try site.device(name)) }
    }

    /// Runs the rounds, until one goes wrong.
    mutating func run(_ progress: DemoProgress) async throws {
        do {
            try await devices[0].call("token", ["token": "0A0B0C0D"])
            try await devices[0].call("enroll", ["code": .string(site.invite(Self.user))])
            try await devices[1].call("hello")
            for round in 0..<rounds where violations.isEmpty {
                progress.begin("two processes, one store", round + 1, of: rounds)
                // The loss of one is slow, as the other waits for its lease to end.
                if round % 40 == 39 { try await takeOver() } else { try await answer(round) }
                tally.add("rounds")
                if logins.count >= checked + Retention().rows / 2 { try await checkNewest() }
            }
            try await checkNewest()
            let checks = SoakChecks(try site.exchanges())
            violations += checks.doubledDecisions() + SoakChecks.shownTwice(logins)
            for login in logins {
                tally.add("answers at the server", checks.count(for: login.id))
            }
        } catch {
            for device in devices {
                guard let end = await device.unexpectedEnd() else { continue }
                violations.append(Violation(.life, end))
            }
            await end()
            if violations.isEmpty { throw error }
        }
        await end()
    }

    private func end() async {
        for device in devices { await device.kill() }
    }

    private mutating func answer(_ round: Int) async throws {
        var login = try await site.login(Self.user, number: random.oneIn(4))
        for reply in try await both({ _ in ("receive", ["payload": .string(login.payload)]) }) {
            try login.note(delivery: try reply.get())
        }
        guard let arguments = login.arguments else { return }
        // A third of the rounds agree, and who says yes isn't always the same.
        var choices = login.validChoices
        if random.oneIn(2) { choices.reverse() }
        if round.isMultiple(of: 3) { choices[1] = choices[0] }
        let start = JSON.Number(ProcessInfo.processInfo.systemUptime + 0.005)
        let replies = try await both { [choices] index in
            var call = arguments
            call["choice"] = .string("\(choices[index])")
            call["at"] = start.map(JSON.number) ?? .null
            return ("answer", call)
        }
        note(replies, choices, &login)
        logins.append(login)
    }

    private func both(
        _ call: (Int) -> (name: String, arguments: JSON.Object)
    ) async throws -> [Result<JSON, Peer.Failure>] {
        let (first, second) = (call(0), call(1))
        async let one = result(devices[0], first.name, first.arguments)
        async let other = result(devices[1], second.name, second.arguments)
        return try await [one, other]
    }

    private func result(
        _ device: Peer, _ call: String, _ arguments: JSON.Object
    ) async throws -> Result<JSON, Peer.Failure> {
        do {
            return .success(try await device.call(call, arguments))
        } catch let error as Peer.Failure {
            guard case .refused = error else { throw error }
            return .failure(error)
        }
    }

    private mutating func note(
        _ replies: [Result<JSON, Peer.Failure>], _ choices: [Choice], _ login: inout LoginFacts
    ) {
        var words: [String] = []
        for (reply, choice) in zip(replies, choices) {
            switch reply {
            case .success(let value):
                let outcome = value["outcome"]?.string ?? ""
                login.acknowledged.append(.init(choice: choice, outcome: outcome))
                words.append(outcome)
            case .failure(.refused(let code, _)):
                words.append(code.prefix { $0 != "(" }.description)
            case .failure(let failure):
                words.append("\(failure)")
            }
        }
        let agree = choices[0] == choices[1]
        words.sort()
        tally.add("\(agree ? "same" : "different"): \(words.joined(separator: " and "))")
        let expected: Set =
            agree ? [["taken", "taken"], ["taken", "unknown"]] : [["decidedOtherwise", "taken"]]
        guard !expected.contains(words) else { return }
        violations.append(
            Violation(.calls, "\(login.id): \(choices) brought \(words)"))
    }

    /// Compares the logins since the last time with the store, as long as it has them whole: all is
    /// quiet, so each must have ended as the one decision says.
    private mutating func checkNewest() async throws {
        for index in logins.indices[checked...] {
            logins[index].status = try await site.status(of: logins[index])
        }
        let snapshot = try await site.store.snapshot()
        let checks = SoakChecks(try site.exchanges())
        violations += checks.lostDecisions(Array(logins[checked...]), snapshot)
        violations += SoakChecks.damaged(snapshot)
        checked = logins.count
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab

/// Logins one after the other for each of some users, pushed through a fleet whose processes are killed.
actor FleetTrial {
    /// What came of one login.
    private struct Login {
        let user: String
        var isAccepted = false
        var isAnswered = false
    }

    private let farm: FleetFarm
    private let sender: SteadySender
    private var processes: [ListeningProcess]
    private var idle: [String]
    private var logins: [SimulatedLogin.ID: Login] = [:]
    private var waiting: Set<SimulatedLogin.ID> = []
    private var refusals: [Int: Int] = [:]
    private var start = ContinuousClock.now
    private var lines: [String] = []

    /// Starts the three processes, and a sender.
    init(_ farm: FleetFarm, of users: [String]) throws {
        self.farm = farm
        idle = users
        processes = try (0..<3).map { try farm.process($0) }
        sender = try SteadySender(
            account: farm.account, url: farm.origin + farm.messages(), trusting: farm.authority)
    }

    /// Has users log in, and kills a process every two seconds, which is started again at once; then ends
    /// one as a supervisor does, and waits until all is answered.
    func run(kills: Int) async throws {
        for index in processes.indices {
            try await farm.wait("process \(index) is ready") {
                try await farm.ready(index).status == 200
            }
        }
        try await farm.reachable()
        let listening = Task { for await event in sender.events { note(event) } }
        defer { listening.cancel() }
        start = .now
        var second = 0
        for kill in 0..<kills {
            try await go(on: 2 * (kill + 1), &second)
            try await self.kill(kill % processes.count)
        }
        let draining = Task { [self] in await terminate(0) }
        try await go(on: second + 3, &second)
        while !waiting.isEmpty, second < 2 * kills + 60 {
            try await go(on: second + 1, &second, startsLogins: false)
        }
        await draining.value
        await sender.stop()
        for index in 1..<processes.count { await terminate(index) }
        await check()
    }

    /// Ends all at once.
    func kill() async {
        for process in processes { await process.kill() }
        await sender.kill()
    }

    /// Goes on until a second has passed, and says after each how things stand.
    private func go(
        on end: Int, _ second: inout Int, startsLogins: Bool = true
    ) async throws {
        while second < end {
            if startsLogins { try await startLogins() }
            try await look()
            if start.duration(to: .now) >= .seconds(second + 1) {
                second += 1
                say(standing)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func kill(_ index: Int) async throws {
        await processes[index].kill()
        processes[index] = try farm.process(index)
        say("SIGKILL to \(farm.names[index]), and a new one is started in its place")
    }

    private func terminate(_ index: Int) async {
        say("SIGTERM to \(farm.names[index])")
        let end = await processes[index].terminate()
        say("\(farm.names[index]) has ended: \(end)")
        #expect(end.code == 0 && !end.wasSignaled)
    }

    private func startLogins() async throws {
        let users = idle
        idle = []
        for user in users {
            let login = try await farm.simulator.startLogin(of: user, asking: .confirm)
            logins[login.id] = Login(user: user)
            waiting.insert(login.id)
            for push in await farm.simulator.takePushes() { try sender.send(push, as: login.id) }
        }
    }

    /// Looks which logins are over.
    private func look() async throws {
        for id in waiting {
            let status = try await farm.simulator.status(of: id)
            guard status != .waiting else { continue }
            #expect(status == .approved)
            logins[id]?.isAnswered = true
            end(id)
        }
    }

    private func note(_ event: SteadySender.Event) {
        switch event {
        case .accepted(let id):
            logins[id]?.isAccepted = true
            end(id)
        case .refused(let status): refusals[status, default: 0] += 1
        case .failed(let id, let error): Issue.record("\(id): \(error)")
        }
    }

    /// Lets the user of a login begin another one, once its sender has heard and the vendor, too.
    private func end(_ id: SimulatedLogin.ID) {
        guard let login = logins[id], login.isAccepted, login.isAnswered else { return }
        waiting.remove(id)
        idle.append(login.user)
    }

    // MARK: Words

    private var standing: String {
        let refused = refusals.sorted { $0.key < $1.key }.map {
            $0.key == 0 ? " (cut off: \($0.value))" : " (\($0.key): \($0.value))"
        }
        return "\(logins.count) pushed, \(logins.values.count(where: \.isAccepted)) accepted, "
            + "\(refusals.values.reduce(0, +)) refused\(refused.joined()), "
            + "\(logins.values.count(where: \.isAnswered)) answered"
    }

    private func say(_ text: String) {
        let seconds = start.duration(to: .now).components.seconds
        lines.append("\(seconds < 10 ? " " : "")\(seconds) s  \(text)")
    }

    /// What happened, for people to read.
    var transcript: String { lines.joined(separator: "\n") }

    // MARK: What must be true

    /// What came to the vendor is one answer for each login, however often it came.
    private func check() async {
        var bodies: [String: Set<Data>] = [:]
        var taken: [String: Int] = [:]
        var count = 0
        for exchange in await farm.simulator.exchanges
        where exchange.request.path?.contains("_action=authenticate") == true {
            guard let id = try? JSON(parsing: exchange.body)["messageId"]?.string else { continue }
            count += 1
            bodies[id, default: []].insert(exchange.body)
            if exchange.response.status == .ok { taken[id, default: 0] += 1 }
        }
        for (id, login) in logins {
            #expect(login.isAccepted && login.isAnswered, "\(id): \(login)")
            #expect(bodies[id]?.count == 1, "decisions at the vendor: \(bodies[id]?.count ?? 0)")
            #expect(taken[id] == 1, "answers that it took: \(taken[id] ?? 0)")
        }
        #expect(bodies.count == logins.count)
        say(
            "At the vendor: \(logins.count) challenges, \(bodies.values.map(\.count).reduce(0, +)) "
                + "decisions, \(taken.values.reduce(0, +)) taken, \(count - bodies.count) sent again"
        )
    }
}

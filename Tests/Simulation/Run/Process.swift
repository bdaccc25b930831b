import PushCore

/// A place where processes run, one after the other: the app, and the extension beside it.
struct Process {
    let index: Int
    var life: Life
    var authenticator: PushAuthenticator?
    var opened: [Challenge] = []
}

/// Something that the app asked of an authenticator.
///
/// `@unchecked Sendable` is safe for the same reason as ``SimulatedRun``'s: one thread touches it.
final class Call: @unchecked Sendable {
    let name: String
    let life: Life
    var isDone = false
    var task: Task<Void, Never>?

    init(_ name: String, _ life: Life) {
        self.name = name
        self.life = life
    }
}

extension SimulatedRun {
    /// Starts a process in a place whose last one is gone, over the store as it is.
    func start(_ index: Int) {
        var killedAt: Int?
        if killsLeft > 0, !isHealed {
            killsLeft -= 1
            killedAt = 3 + draw.below(draw.pick([30, 120]))
        }
        lives += 1
        tally.count(.start)
        let life = Life(
            number: lives, process: index, killedAt: killedAt, killedAfter: draw.percent(60))
        if mutation == .losesRowsAtRestart { loseChallenges() }
        let environment = environment(of: life)
        let providers = providers(in: environment)
        guard !providers.isEmpty else { return }
        do throws(PushError) {
            var configuration = PushConfiguration()
            configuration.instance = settings.names[index]
            configuration.asksAfterPush = settings.asksAfterPush
            if mutation == .asksAtEachHint { configuration.hintInterval = .zero }
            if settings.forgetsSoon { configuration.retention.age = .zero }
            configuration.retention.rows = settings.rows
            let burst = BurstPolicy.Burst(count: 2, window: .seconds(60))
            configuration.bursts = [.off, .warn(burst), .quiet(burst)][settings.bursts]
            let authenticator = PushAuthenticator(
                try PluginRegistry(providers), in: environment, configuration: configuration)
            let process = Process(index: index, life: life, authenticator: authenticator)
            if index < processes.count {
                processes[index] = process
            } else {
                processes.append(process)
            }
            note("p\(index) starts")
        } catch {
            violate(.noSurprise, "no registry: \(error)")
        }
    }

    /// The world as a process sees it.
    func environment(of life: Life) -> PushEnvironment {
        PushEnvironment(
            transport: RunTransport(world: self, life: life),
            store: RunStore(world: self, life: life),
            verifier: RunUser(world: self, life: life),
            clock: RunClock(world: self, life: life), random: RunRandom(world: self),
            device: Device(name: "Ada's phone", platform: .other))
    }

    /// Has a process do something, as a task of its own.
    @discardableResult
    func call(
        _ index: Int, _ name: String,
        _ body: @escaping @Sendable (PushAuthenticator) async throws(PushError) -> String
    ) -> Call? {
        guard let authenticator = processes[index].authenticator else { return nil }
        let call = Call(name, processes[index].life)
        calls.append(call)
        note("p\(index) \(name)")
        call.task = Task { [self] in
            let text: String
            do throws(PushError) {
                text = try await body(authenticator)
            } catch {
                text = "\(error)"
                if call.life.isAlive, !explains(error, of: name) {
                    violate(.noSurprise, "\(name) threw \(error)")
                }
            }
            if call.life.isAlive { note("p\(index) \(name): \(text)") }
            call.isDone = true
        }
        return call
    }
}

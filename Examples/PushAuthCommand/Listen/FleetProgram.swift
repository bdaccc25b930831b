import PushCore
import TerminalIO

/// One process of a fleet: it takes pushes for every device, until it is told to end.
struct FleetProgram {
    let ground: Ground
    let policy: Policy
    let verifier: CommandUser
    let reporter: Reporter
    let isOnce: Bool
    let limit: Duration?

    /// What this process is called; `nil` for a name of its own each time.
    let instance: String?

    private enum Event: Sendable {
        case ended(ExitStatus)
        case timeUp
        case second
    }

    private typealias Source = AsyncStream<Event>.Continuation

    func run(_ options: IntakeOptions) async throws -> ExitStatus {
        guard let fleet = ground.fleet else { throw Fleet.noFleet }
        let setup = try await fleet.setup()
        let random = SystemRandom()
        let member = FleetMember(fleet.records, instance: instance ?? random.hex(8))
        try await member.beat()
        let (happenings, source) = AsyncStream<Event>.makeStream()
        let desk = FleetDesk(parts(fleet, member, source))
        let readiness = Readiness { _ = try await fleet.setup() }
        let intakes = try FleetIntakes(
            options: options, setup: setup, readiness: readiness, random: random
        ).make()
        var places = JSON.Object()
        for intake in intakes {
            places[intake.name] = .object(try await intake.start { await desk.take($0) })
        }
        say(.listening(places))
        let clocks = [timing(source), ticking(source), sweeping(desk)]
        let status = await follow(happenings, desk, member)
        for clock in clocks { clock.cancel() }
        // Apart, as this task may be cancelled, and what was accepted is brought to its end.
        await Task {
            await readiness.close()
            await withTaskGroup(of: Void.self) { group in
                for intake in intakes { group.addTask { await intake.drain() } }
            }
            await desk.close()
            for intake in intakes { await intake.stop() }
            await member.leave()
        }.value
        return status
    }

    private func parts(
        _ fleet: Fleet, _ member: FleetMember, _ source: Source
    ) -> FleetDesk.Parts {
        var policies = Policies()
        policies.instance = member.instance
        // Longer than an exchange and the store's patience together.
        policies.lease = .seconds(60)
        return FleetDesk.Parts(
            ground: ground, fleet: fleet, member: member, policy: policy, policies: policies,
            verifier: verifier, reporter: reporter, ended: { source.yield(.ended($0)) })
    }

    private func say(_ listening: ListenEvent) {
        if reporter.isJSON {
            reporter.show(listening)
        } else {
            reporter.tell(listening.text(for: .error))
        }
    }

    private func follow(
        _ happenings: AsyncStream<Event>, _ desk: FleetDesk, _ member: FleetMember
    ) async -> ExitStatus {
        var last: ExitStatus?
        var seconds = 0
        for await event in happenings {
            if Task.isCancelled { break }
            switch event {
            case .ended(let status):
                last = status
                if isOnce { return status }
            case .timeUp: return last ?? .nothingCame
            case .second:
                seconds += 1
                // What was missed is made up for by the next.
                if seconds.isMultiple(of: 10) { try? await member.beat() }
                await desk.look(resuming: seconds.isMultiple(of: 30))
            }
        }
        return last ?? .done
    }

    private func ticking(_ source: Source) -> Task<Void, Never> {
        Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { source.yield(.second) }
        }
    }

    private func timing(_ source: Source) -> Task<Void, Never> {
        Task { [limit] in
            guard let limit, (try? await Task.sleep(for: limit)) != nil else { return }
            source.yield(.timeUp)
        }
    }

    /// Not in step with the others, so that they don't meet at the same devices.
    private func sweeping(_ desk: FleetDesk) -> Task<Void, Never> {
        Task {
            repeat {
                await desk.sweep()
            } while (try? await Task.sleep(for: .seconds(Double.random(in: 15...45)))) != nil
        }
    }
}

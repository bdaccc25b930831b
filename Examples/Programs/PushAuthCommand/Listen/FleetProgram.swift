import LocalServer
import PushCore
import TerminalIO

/// One process of a fleet: it takes pushes for every device, until it is told to end.
struct FleetProgram {
    let ground: Ground
    let policy: StandingPolicy
    let verifier: CommandUser
    let reporter: Reporter
    let isOnce: Bool
    let limit: Duration?
    let options: FleetOptions

    /// In how many seconds each device's vendors are asked once; `nil` to ask none.
    let poll: Int?

    private enum Event: Sendable {
        case ended(ExitStatus)
        case timeUp
        case second
    }

    private typealias Source = AsyncStream<Event>.Continuation

    func run(_ ways: IntakeOptions) async throws -> ExitStatus {
        guard let fleet = ground.fleet else { throw Fleet.noFleet }
        let setup = try await fleet.setup()
        let random = SystemRandom()
        let member = FleetMember(
            fleet.records, instance: options.instance ?? random.hex(8), intakes: ways.services)
        do throws(PushError) {
            try await member.beat()
        } catch {
            throw Fleet.failure(error)
        }
        let (happenings, source) = AsyncStream<Event>.makeStream()
        let backlog = Backlog(
            fleet.records, patience: .seconds(options.takeUp), judges: !policy.current.rules.isEmpty
        )
        let desk = FleetDesk(parts(fleet, member, source), backlog)
        let readiness = Readiness {
            _ = try await fleet.setup()
            try await member.requireWriting()
        } hanging: { [questions = ground.questions] in
            await questions.hanging
        }
        let makers = FleetIntakes(
            options: ways, ready: options.ready, setup: setup, readiness: readiness,
            connections: ConnectionGate(.ofThisProcess()), random: random)
        let intakes = try makers.make()
        let metrics = try await makers.metrics(of: ground, backlog, beside: intakes)
        let places = try await start(intakes, desk)
        reporter.announce(.listening(places, poll: poll, metrics: metrics?.origin))
        var clocks = [
            ListenClocks.after(limit) { source.yield(.timeUp) },
            ListenClocks.eachSecond { source.yield(.second) }, beating(member), takingUp(desk),
            caring(fleet, desk),
        ]
        if let poll { clocks.append(polling(poll, fleet, member, desk)) }
        clocks.append(lookingForUnserved(fleet, ways))
        let status = await follow(happenings, desk)
        for clock in clocks { clock.cancel() }
        // Apart, as this task may be cancelled, and what was accepted is brought to its end.
        await Task {
            await readiness.close()
            await withTaskGroup(of: Void.self) { group in
                for intake in intakes { group.addTask { await intake.drain() } }
            }
            await desk.close()
            for intake in intakes { await intake.stop() }
            await metrics?.stop()
            await member.leave()
        }.value
        return status
    }

    private func start(
        _ intakes: [any Intake], _ desk: FleetDesk
    ) async throws(Failure) -> JSON.Object {
        var places = JSON.Object()
        for intake in intakes {
            places[intake.name] = .object(
                try await intake.start { [meter = ground.options.meter] push in
                    await desk.take(push).mapping { taken in
                        meter?.count(push, taken.verdict)
                        return taken
                    }
                })
        }
        return places
    }

    private func parts(
        _ fleet: Fleet, _ member: FleetMember, _ source: Source
    ) -> FleetDesk.Parts {
        var behavior = PushConfiguration()
        behavior.instance = member.instance
        // Longer than an exchange and the store's patience together.
        behavior.lease = .seconds(60)
        return FleetDesk.Parts(
            ground: ground, fleet: fleet, policy: policy, behavior: behavior,
            verifier: verifier,
            reporter: reporter, ended: { source.yield(.ended($0)) })
    }

    private func follow(
        _ happenings: AsyncStream<Event>, _ desk: FleetDesk
    ) async -> ExitStatus {
        var last: ExitStatus?
        for await event in happenings {
            if Task.isCancelled { break }
            switch event {
            case .ended(let status):
                last = status
                if isOnce { return status }
            case .timeUp: return last ?? .nothingCame
            case .second: await desk.look()
            }
        }
        return last ?? .done
    }

    // MARK: What goes on beside

    private func beating(_ member: FleetMember) -> Task<Void, Never> {
        Task { [reporter, poll] in
            while (try? await Task.sleep(for: FleetMember.pace)) != nil {
                do throws(PushError) {
                    try await member.beat()
                    // Seen as often as they are written, so that one that has died is known soon.
                    if poll != nil { _ = try await member.living() }
                } catch  where error.code == .conflict {
                    reporter.show(
                        ListenEvent.failed(
                            Failure(
                                .failed,
                                "Another process of this fleet is called '\(member.instance)', too.",
                                advice: "Give each an --instance of its own.")))
                } catch {
                    // What was missed is made up for by the next.
                    continue
                }
            }
        }
    }

    /// Says once that devices have tokens whose pushes nobody takes.
    private func lookingForUnserved(_ fleet: Fleet, _ ways: IntakeOptions) -> Task<Void, Never> {
        Task { [reporter] in
            let others = (try? await FleetMember.intakes(in: fleet.records)) ?? []
            let intakes = others.union(ways.services)
            let counts = (try? await fleet.unserved(by: intakes)) ?? [:]
            guard let warning = counts.warning("no listener that runs has") else { return }
            reporter.show(ListenEvent.failed(warning))
        }
    }

    private func takingUp(_ desk: FleetDesk) -> Task<Void, Never> {
        Task { [options] in
            await desk.takeUp(isOwn: options.instance != nil)
            let pace = Double(options.takeUp)
            // Not in step with the others, so that they don't meet at the same devices.
            while (try? await Task.sleep(for: .seconds(pace * .random(in: 0.5...1.5)))) != nil {
                await desk.takeUp()
            }
        }
    }

    private func caring(_ fleet: Fleet, _ desk: FleetDesk) -> Task<Void, Never> {
        Task { [reporter] in
            await FleetCare(
                fleet: fleet, care: { await desk.care(for: $0) },
                report: { reporter.show(ListenEvent.failed(Failure($0))) }
            ).run()
        }
    }

    private func polling(
        _ seconds: Int, _ fleet: Fleet, _ member: FleetMember, _ desk: FleetDesk
    ) -> Task<Void, Never> {
        Task { [reporter] in
            await FleetPolling(
                fleet: fleet, member: member, interval: .seconds(seconds),
                ask: { await desk.poll($0) },
                report: { reporter.show(ListenEvent.failed(Failure($0))) }
            ).run()
        }
    }
}

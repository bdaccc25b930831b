import Foundation
import LocalServer
import PushCore
import TerminalIO

/// Starts the intakes, and stops them at the end: at Ctrl-C, after the first answer, or when the
/// time is up.
struct ListenProgram {
    let session: Session
    let policy: StandingPolicy
    let reporter: Reporter
    let isOnce: Bool
    let limit: Duration?

    /// How many seconds after one question the vendors are asked again; `nil` to ask at the start
    /// alone.
    let poll: Int?

    private enum Event: Sendable {
        case begun
        case ended(ExitStatus, isNew: Bool)
        case refused(ExitStatus)
        case unreadable(Failure)
        case inputOver
        case timeUp
        case second
    }

    func run(_ options: IntakeOptions) async throws -> ExitStatus {
        let (happenings, source) = AsyncStream<Event>.makeStream()
        var clocks = [ListenClocks.after(limit) { source.yield(.timeUp) }]
        let events = EventReporter(session.authenticator, reporter)
        let listener = Listener(
            session, policy: policy, show: { await events.show($0) },
            ended: { source.yield(.ended($0, isNew: $1)) })
        let receiver = PushReceiver(
            session: session, show: { await events.show($0) },
            refused: { source.yield(.refused($0)) }, act: { await listener.take($0) })
        let connections = ConnectionGate(.ofThisProcess())
        let intakes = try await options.intakes(
            for: session, keeping: connections,
            reports: { source.yield(.unreadable($0)) },
            finished: { source.yield(.inputOver) })
        var places = JSON.Object()
        let metrics = try await options.metricsServer(
            for: session, beside: intakes, keeping: connections)
        // What comes at once waits until it's said that it can come.
        let ready = Latch()
        for intake in intakes {
            places[intake.name] = .object(
                try await intake.start { [meter = session.ground.options.meter] push in
                    await ready.pass()
                    return await receiver.take(push).mapping { taken in
                        meter?.count(push, taken.verdict)
                        return taken
                    }
                })
        }
        // Before it is said that all is set: who enrolls then gives the vendor the token at once.
        let failures = try await options.tellToken(session)
        await say(.listening(places, poll: poll, metrics: metrics?.origin))
        await listener.noteWhatIsLeft()
        let patience: Duration = intakes.isEmpty ? .zero : .seconds(1)
        clocks.append(Task { await listener.follow(after: patience) })
        await ready.open()
        if reporter.isJSON {
            for (id, error) in failures { await events.show(.failed(Failure(error), of: id)) }
        } else {
            var said = Failures()
            for (_, error) in failures { said.add(Failure(error)) }
            said.report()
        }
        // Beside what follows: a vendor that holds its reply doesn't hold up the end.
        let beginning = Task {
            await listener.begin(asking: poll == nil)
            for item in session.damage.take() {
                await events.show(.failed(item.failure, of: item.enrollment))
            }
            source.yield(.begun)
        }
        clocks.append(beginning)
        if poll != nil {
            clocks.append(Task { [session] in await session.authenticator.poll() })
        }
        let ways = intakes.count + (poll == nil ? 0 : 1)
        let status = await follow(happenings, listener, events, count: ways) {
            clocks.append(ListenClocks.eachSecond { source.yield(.second) })
        }
        for clock in clocks { clock.cancel() }
        await listener.close()
        for intake in intakes { await intake.stop() }
        await metrics?.stop()
        return status
    }

    private func say(_ listening: ListenEvent) async {
        reporter.announce(listening)
        if !reporter.isJSON, Terminal.error.isInteractive, (try? await session.isNew()) == true {
            reporter.tell("There is no enrollment yet. In another shell: " + NextStep.enroll)
        }
    }

    private func follow(
        _ happenings: AsyncStream<Event>, _ listener: Listener, _ events: EventReporter,
        count: Int, onceBegun begun: () -> Void
    ) async -> ExitStatus {
        var last: ExitStatus?
        var refusal: ExitStatus?
        var seconds = 0
        var isBegun = false
        var isInputOver = false
        for await event in happenings {
            if Task.isCancelled { break }
            switch event {
            // Whoever waits for one answer doesn't mean what an earlier run left.
            case .ended(_, isNew: false) where isOnce: break
            case .ended(let status, _):
                last = status
                if isOnce { return status }
            // Anybody may send something forged: it ends nothing, but it did come.
            case .refused(let status): refusal = status
            case .unreadable(let failure):
                await events.show(.failed(failure))
                refusal = failure.status
            case .begun:
                isBegun = true
                begun()
            case .inputOver: isInputOver = true
            case .timeUp: return last ?? refusal ?? .nothingCame
            case .second:
                seconds += 1
                for item in session.damage.take() {
                    await events.show(.failed(item.failure, of: item.enrollment))
                }
                // Beside, as a vendor may hold its reply.
                if seconds.isMultiple(of: 60) { Task { await listener.resume() } }
            }
            // Nothing more can come, unless there is another way in.
            if isBegun, isInputOver, count == 1 {
                await listener.look()
                return last ?? refusal ?? .nothingCame
            }
        }
        return last ?? .done
    }
}

/// Holds up whoever comes before it is opened.
private actor Latch {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}

import PushCore

/// Carries commands to the server, and hands their replies to the engine: through the relay, or
/// through an app that carries them.
///
/// It knows the carriers, the listeners and the exchanges that are under way; nothing of a request.
actor CommandCarrier {
    /// Hands a command to the app. A type of its own, as a collection of functions that throw a type
    /// of their own needs a newer system than iOS 16.
    struct Outlet: Sendable {
        let carry: @Sendable (OrchestrationCommand, RequestKind?) async throws(PushError) -> Void
    }

    /// What the engine wants sent.
    typealias Sending = (command: OrchestrationCommand, flow: FlowID, kind: RequestKind?)

    private typealias Said = AsyncStream<(WorkflowRun, WorkflowWord)>

    nonisolated let engine: any OrchestrationEngine
    nonisolated let relay: (any OrchestrationCommandRelay)?
    /// How often a command is sent that isn't an answer: answers are the ledger's to repeat.
    nonisolated let tries: Int
    private let clock: any PushClock

    private var outlets: [WorkflowRun: Outlet] = [:]
    private var delegates: [RequestKind: Outlet] = [:]
    private var listeners: [Int: Said.Continuation] = [:]
    private var waiting: [FlowID: Waiter] = [:]
    private var exchanges:
        [Int: CheckedContinuation<Result<OrchestrationCommand, OrchestrationError>, Never>] = [:]
    private var lastTicket = 0

    private struct Waiter {
        let ticket: Int
        let run: WorkflowRun?
        let continuation: CheckedContinuation<Result<OrchestrationStep, OrchestrationError>, Never>
    }

    init(
        _ engine: any OrchestrationEngine, _ relay: (any OrchestrationCommandRelay)?,
        _ clock: any PushClock, tries: Int
    ) {
        self.engine = engine
        self.relay = relay
        self.tries = tries
        self.clock = clock
    }

    // MARK: Doors

    /// Has the app carry a run's commands from now on; `nil`: no longer.
    func setOutlet(_ outlet: Outlet?, of run: WorkflowRun) { outlets[run] = outlet }

    /// Has the app carry requests of a kind where there is no relay.
    func setDelegate(_ outlet: Outlet?, for kind: RequestKind) { delegates[kind] = outlet }

    /// Runs something, and collects what is said meanwhile: the last word of each run.
    nonisolated func collectingWords<Value: Sendable>(
        _ body: () async -> Value
    ) async -> (value: Value, words: [WorkflowRun: WorkflowWord]) {
        let (said, continuation) = Said.makeStream()
        let ticket = await listen(continuation)
        let value = await body()
        await stopListening(ticket)
        var words: [WorkflowRun: WorkflowWord] = [:]
        for await (run, word) in said { words[run] = word }
        return (value, words)
    }

    private func listen(_ listener: Said.Continuation) -> Int {
        let ticket = newTicket()
        listeners[ticket] = listener
        return ticket
    }

    private func stopListening(_ ticket: Int) { listeners.removeValue(forKey: ticket)?.finish() }

    /// Tells the listeners.
    func say(_ word: WorkflowWord, in run: WorkflowRun) {
        for listener in listeners.values { listener.yield((run, word)) }
    }

    private func newTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    // MARK: Commands out

    /// Carries a command to the server, and hands its reply to the engine.
    ///
    /// - Parameters:
    ///   - sending: What the engine wants sent.
    ///   - run: What it belongs to.
    ///   - tries: How often the same bytes are sent before a caller hears of it.
    ///   - limit: How long the reply may take, all tries together, if the engine doesn't know.
    ///   - isHint: Whether a message that proves nothing led to it: then only what didn't reach the
    ///     server goes out again.
    /// - Returns: What is next; never an error that nobody authenticated.
    /// - Throws: ``OrchestrationError``: `unreachable`, `interrupted` or `server` if the flow still
    ///   waits for its reply; ``OneSpanError/noReply`` once the time is over.
    func carry(
        _ sending: Sending, of run: WorkflowRun, tries: Int = 1, limit: Duration? = nil,
        isHint: Bool = false
    ) async throws(OrchestrationError) -> OrchestrationStep {
        let (command, flow, kind) = sending
        let time = await engine.timeLeft(of: flow) ?? limit ?? ReplyLimit.of(kind)
        let end = clock.elapsed + time
        // Where nothing else can, the remote delegates carry, such as an answer that goes out again.
        if let outlet = outlets[run] ?? (relay == nil ? kind.flatMap { delegates[$0] } : nil) {
            return try await carryByApp(sending, run, outlet, until: end)
        }
        guard let relay else {
            throw OrchestrationError(
                .unreachable, "There is no relay, and no delegate that carries commands.")
        }
        var pause = Duration.seconds(1)
        for attempt in 1... {
            do throws(OrchestrationError) {
                return try await step(
                    after: reply(to: command, of: flow, by: relay, until: end), in: flow)
            } catch {
                guard attempt < tries, error.isPassing, error.oneSpan != .noReply,
                    error.code == .unreachable || !isHint,
                    clock.elapsed + pause < end
                else { throw error }
            }
            await clock.sleep(for: pause)
            pause *= 2
        }
        throw OrchestrationError(.relay)
    }

    /// Waits for a relay's reply as long as there is time: a relay may wait for ever.
    private func reply(
        to command: OrchestrationCommand, of flow: FlowID,
        by relay: any OrchestrationCommandRelay, until end: Duration
    ) async throws(OrchestrationError) -> OrchestrationCommand {
        let ticket = newTicket()
        let exchange = Task {
            let result = await Result { () async throws(PushError) in
                try await relay.exchange(command, correlation: flow)
            }
            finish(ticket, result.mapError(OrchestrationError.init))
        }
        let limit = end - clock.elapsed
        let deadline = Task { [clock] in
            await clock.sleep(for: limit)
            if !Task.isCancelled { finish(ticket, .failure(OrchestrationError(.noReply))) }
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { exchanges[ticket] = $0 }
        } onCancel: {
            exchange.cancel()
        }
        deadline.cancel()
        exchange.cancel()
        return try result.get()
    }

    private func finish(
        _ ticket: Int, _ result: Result<OrchestrationCommand, OrchestrationError>
    ) {
        exchanges.removeValue(forKey: ticket)?.resume(returning: result)
    }

    /// A reply that can't be taken changes nothing: its flow still waits.
    ///
    /// A genuine command that was pushed, or that belongs to another flow, says nothing of this one
    /// either: a relay can exchange commands.
    private func step(
        after reply: OrchestrationCommand, in flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep {
        let named = engine.flow(of: reply)
        let stray = OrchestrationError(.unexpectedCommand, "The reply belongs to another command.")
        let step: OrchestrationStep
        do throws(OrchestrationError) {
            guard named ?? flow == flow else { throw stray }
            guard try await engine.inspect(reply) == nil else { throw stray }
            step = try await engine.consume(reply)
        } catch {
            guard error.isNoise else { throw error }
            throw OrchestrationError(
                noReply: "The reply isn't one to this command.", because: error)
        }
        if case .serverError(let error, _) = step, !error.isAuthenticated {
            throw OrchestrationError(
                noReply: "The server's error isn't authenticated.",
                because: OrchestrationError(error))
        }
        // A refused counter is answered in a new flow; only an engine that knows a reply's flow
        // before can tell that from a request that was executed.
        guard named != nil || step.flow ?? flow == flow else {
            if let other = step.flow, case .send = step { _ = await engine.cancel(other) }
            throw OrchestrationError(
                noReply: "The reply isn't one to this command.", because: stray)
        }
        return step
    }

    // MARK: Commands that the app carries

    private func carryByApp(
        _ sending: Sending, _ run: WorkflowRun, _ outlet: Outlet, until end: Duration
    ) async throws(OrchestrationError) -> OrchestrationStep {
        let (command, flow, kind) = sending
        let ticket = newTicket()
        let limit = end - clock.elapsed
        let deadline = Task { [clock] in
            await clock.sleep(for: limit)
            guard !Task.isCancelled else { return }
            self.end(flow, ticket, OrchestrationError(.noReply))
        }
        let result = await withCheckedContinuation { continuation in
            waiting[flow] = Waiter(ticket: ticket, run: run, continuation: continuation)
            Task {
                do throws(PushError) {
                    try await outlet.carry(command, kind)
                } catch {
                    self.end(flow, ticket, OrchestrationError(error))
                }
            }
        }
        deadline.cancel()
        return try result.get()
    }

    private func end(_ flow: FlowID, _ ticket: Int, _ error: OrchestrationError) {
        guard waiting[flow]?.ticket == ticket else { return }
        waiting.removeValue(forKey: flow)?.continuation.resume(returning: .failure(error))
    }

    /// Gives up waiting for the app, where the run may still be given up.
    ///
    /// - Returns: Whether anything waited.
    func giveUp(_ run: WorkflowRun) async -> Bool {
        var isGivenUp = false
        for (flow, waiter) in waiting where waiter.run == run {
            guard await engine.cancel(flow) else { continue }
            end(flow, waiter.ticket, OrchestrationError(.cancelled, "The app gave up."))
            isGivenUp = true
        }
        return isGivenUp
    }

    /// What became of a command that the app brought.
    enum Execution: Sendable {
        /// The reply that a workflow waited for.
        case reply
        /// An error that nobody authenticated: the workflow still waits.
        case noise(ServerError)
        /// Not a reply: it starts a workflow.
        case trigger
    }

    /// Executes a command that the app brought.
    ///
    /// - Throws: ``OrchestrationError`` if it is neither a reply that a workflow waits for, nor a
    ///   request.
    func execute(_ command: OrchestrationCommand) async throws(OrchestrationError) -> Execution {
        guard !waiting.isEmpty else { return .trigger }
        if try await engine.inspect(command) != nil { return .trigger }
        let step = try await engine.consume(command)
        if case .serverError(let error, _) = step, !error.isAuthenticated { return .noise(error) }
        if let flow = step.flow, resume(flow, step) { return .reply }
        guard case .send(_, let flow, let kind) = step else {
            throw OrchestrationError(OneSpanError.unexpectedCommand)
        }
        // A refused counter is answered in a new flow.
        if let named = engine.flow(of: command), resume(named, step) { return .reply }
        // A request had to be executed to learn what it is. When its turn comes, it is once more.
        if kind != nil { _ = await engine.cancel(flow) }
        return .trigger
    }

    private func resume(_ flow: FlowID, _ step: OrchestrationStep) -> Bool {
        guard let waiter = waiting.removeValue(forKey: flow) else { return false }
        waiter.continuation.resume(returning: .success(step))
        return true
    }
}

/// How long a workflow waits for a reply, where the server said nothing of time.
enum ReplyLimit {
    /// For each reply of an activation, or of a change of the password.
    static let activation = Duration.seconds(120)

    /// For a request to be fetched.
    static let fetch = Duration.seconds(60)

    /// For an answer or a registration to be taken.
    static let answer = Duration.seconds(300)

    /// A registration brings a limit of its own.
    fileprivate static func of(_ kind: RequestKind?) -> Duration {
        kind == nil ? activation : answer
    }
}

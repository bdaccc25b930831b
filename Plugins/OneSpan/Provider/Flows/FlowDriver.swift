import PushCore

/// Moves workflows on: through the relay, or through an app that carries commands by itself.
///
/// One for each provider. Whoever calls it holds the enrollment's turn, so the requests of one
/// device come one after the other.
actor FlowDriver {
    /// Hands a command to the app.
    typealias Outlet = @Sendable (OrchestrationCommand, FlowID) async throws(PushError) -> Void

    nonisolated let engine: any OrchestrationEngine
    nonisolated let relay: (any OrchestrationCommandRelay)?
    nonisolated let configuration: OneSpan.Configuration
    nonisolated let clock: any PushClock

    /// What has been fetched, by challenge; the oldest goes first.
    var open: [Challenge.ID: OpenRequest] = [:]
    var openOrder: [Challenge.ID] = []
    var words: [Challenge.ID: RequestWord] = [:]
    /// Where commands of unknown content led.
    var led: [OrchestrationCommand: Challenge.ID] = [:]

    /// Pushed commands that had to be executed to learn that they aren't replies.
    private var executed: [OrchestrationCommand: OrchestrationStep] = [:]
    private var outlets: [WorkflowKind: Outlet] = [:]
    private var waiting: [FlowID: Waiter] = [:]
    private var lastTicket = 0
    private var recovered: Set<String> = []

    private struct Waiter {
        let ticket: Int
        let kind: WorkflowKind
        let continuation: CheckedContinuation<Result<OrchestrationStep, PushError>, Never>
    }

    init(
        _ engine: any OrchestrationEngine, _ relay: (any OrchestrationCommandRelay)?,
        _ configuration: OneSpan.Configuration, _ clock: any PushClock
    ) {
        self.engine = engine
        self.relay = relay
        self.configuration = configuration
        self.clock = clock
    }

    // MARK: Commands out

    /// Has the app carry a workflow's commands from now on; `nil`: the relay does.
    func setOutlet(_ outlet: Outlet?, for kind: WorkflowKind) { outlets[kind] = outlet }

    /// Carries a command to the server, and hands its reply to the engine.
    ///
    /// - Parameters:
    ///   - tries: How often the same bytes are sent before a caller hears of it.
    ///   - limit: How long the app may take to bring the reply, if the engine doesn't know.
    /// - Returns: What is next; never an error that nobody authenticated.
    /// - Throws: `PushError`: `unreachable`, `interrupted` or `server` if the flow still waits for
    ///   its reply.
    func carry(
        _ step: (command: OrchestrationCommand, flow: FlowID, kind: WorkflowKind),
        tries: Int = 1, limit: Duration? = nil
    ) async throws(PushError) -> OrchestrationStep {
        let (command, flow, kind) = step
        let patience = limit ?? patience(for: kind)
        if outlets[kind] != nil { return try await carried(command, flow, kind, patience) }
        guard let relay else {
            throw PushError(
                .unreachable, "There is no relay, and no delegate that carries commands.")
        }
        var pause = Duration.seconds(1)
        for attempt in 1... {
            do throws(PushError) {
                let reply = try await relay.exchange(command, correlation: flow)
                return try await taken(reply)
            } catch {
                let left = await engine.timeLeft(of: flow) ?? patience
                guard attempt < tries, error.isPassing, pause < left else { throw error }
            }
            await clock.sleep(for: pause)
            pause *= 2
        }
        throw OneSpanError.relay.error
    }

    /// A reply that can't be taken changes nothing: its flow still waits.
    private func taken(_ reply: RelayReply) async throws(PushError) -> OrchestrationStep {
        let step: OrchestrationStep
        do throws(PushError) {
            step = try await engine.consume(reply.command)
        } catch {
            guard error.isNoise else { throw error }
            throw PushError(
                .interrupted, "The reply isn't one to this command.",
                underlying: error.underlying)
        }
        if case .serverError(let error, _) = step, !error.isAuthenticated {
            throw PushError(
                .interrupted, "The server's error isn't authenticated.", underlying: error)
        }
        return step
    }

    // MARK: Commands that the app carries

    private func carried(
        _ command: OrchestrationCommand, _ flow: FlowID, _ kind: WorkflowKind,
        _ patience: Duration
    ) async throws(PushError) -> OrchestrationStep {
        let limit = await engine.timeLeft(of: flow) ?? patience
        guard let outlet = outlets[kind] else { throw OneSpanError.handlerNotSet.error }
        lastTicket += 1
        let ticket = lastTicket
        let deadline = Task { [clock] in
            await clock.sleep(for: limit)
            guard !Task.isCancelled else { return }
            end(flow, ticket, OneSpanError.noReply.error)
        }
        let result = await withCheckedContinuation { continuation in
            waiting[flow] = Waiter(ticket: ticket, kind: kind, continuation: continuation)
            Task {
                do throws(PushError) {
                    try await outlet(command, flow)
                } catch {
                    end(flow, ticket, error)
                }
            }
        }
        deadline.cancel()
        return try result.get()
    }

    private func end(_ flow: FlowID, _ ticket: Int, _ error: PushError) {
        guard waiting[flow]?.ticket == ticket else { return }
        waiting.removeValue(forKey: flow)?.continuation.resume(returning: .failure(error))
    }

    /// Gives up waiting for the app, where the workflow may still be given up.
    ///
    /// - Returns: Whether anything waited.
    func giveUp(_ kinds: Set<WorkflowKind>) async -> Bool {
        var isGivenUp = false
        for (flow, waiter) in waiting where kinds.contains(waiter.kind) {
            guard await engine.cancel(flow) else { continue }
            end(flow, waiter.ticket, PushError(.cancelled, "The app gave up."))
            isGivenUp = true
        }
        return isGivenUp
    }

    /// What became of a command that the app brought.
    enum Execution: Sendable {
        /// The reply that a workflow waited for.
        case taken
        /// An error that nobody authenticated: the workflow still waits.
        case noise(ServerError)
        /// Not a reply: it starts a workflow.
        case trigger
    }

    /// Executes a command that the app brought.
    ///
    /// - Throws: `PushError` if it is neither a reply that a workflow waits for, nor a request.
    func execute(_ command: OrchestrationCommand) async throws(PushError) -> Execution {
        guard !waiting.isEmpty else { return .trigger }
        if try await inspect(command) != nil { return .trigger }
        let step = try await engine.consume(command)
        if case .serverError(let error, _) = step, !error.isAuthenticated { return .noise(error) }
        if let flow = step.flow, let waiter = waiting.removeValue(forKey: flow) {
            waiter.continuation.resume(returning: .success(step))
            return .taken
        }
        guard case .send(_, _, let kind) = step else {
            throw OneSpanError.command(.unexpectedCommand).error
        }
        // An engine that knows its triggers has answered a refused counter with a new flow.
        let sameKind = waiting.filter { $0.value.kind == kind }
        if engine.canInspect, sameKind.count == 1, let (flow, waiter) = sameKind.first {
            waiting[flow] = nil
            waiter.continuation.resume(returning: .success(step))
            return .taken
        }
        if executed.count >= 8 { executed.removeAll() }
        executed[command] = step
        return .trigger
    }

    // MARK: The engine

    func inspect(_ command: OrchestrationCommand) async throws(PushError) -> CommandSummary? {
        try await engine.inspect(command)
    }

    /// Executes a pushed command, unless that was needed to learn what it is.
    func start(_ trigger: OrchestrationCommand) async throws(PushError) -> OrchestrationStep {
        if let step = executed.removeValue(forKey: trigger) { return step }
        return try await engine.consume(trigger)
    }

    /// Takes up what an earlier process left unanswered, once for each device.
    func recover(_ deviceID: String) async throws(PushError) -> OrchestrationStep? {
        guard !recovered.contains(deviceID) else { return nil }
        let step = try await engine.resume(deviceID)
        recovered.insert(deviceID)
        return step
    }

    /// Lets the next ``recover(_:)`` ask the engine again, as something is unanswered.
    func mayRecover(_ deviceID: String) { recovered.remove(deviceID) }

    /// Drops what is known of a device that is no longer one.
    func forget(_ enrollment: Enrollment.ID) {
        for id in openOrder where id.enrollment == enrollment { drop(id) }
        recovered.remove(enrollment.name)
    }

    private func patience(for kind: WorkflowKind) -> Duration {
        switch kind {
        case .activation, .changePassword: configuration.patience.activation
        case .notificationRegistration: configuration.patience.answer
        case .authentication, .transaction: configuration.patience.answer
        }
    }
}

extension PushError {
    /// Whether sending the same bytes again may help.
    var isPassing: Bool {
        switch code {
        case .unreachable, .interrupted, .oversizedReply, .server(status: 500...),
            .server(status: 429):
            true
        default: false
        }
    }

    /// Whether it is about bytes that anyone can send: they change nothing.
    var isNoise: Bool {
        switch underlying as? OrchestrationProblem {
        case .commandMalformed, .commandNotForThisDevice, .commandUntrusted, .commandReplayed,
            .unexpectedCommand:
            true
        default: false
        }
    }
}

import PushCore

/// Moves workflows on: through the relay, or through an app that carries commands by itself.
///
/// One for each provider. Whoever calls it holds the enrollment's turn, so the requests of one
/// device come one after the other.
actor FlowDriver {
    /// Hands a command to the app.
    typealias Outlet =
        @Sendable (OrchestrationCommand, WorkflowKind) async throws(PushError) -> Void

    nonisolated let engine: any OrchestrationEngine
    nonisolated let relay: (any OrchestrationCommandRelay)?
    nonisolated let configuration: OneSpan.Configuration
    nonisolated let clock: any PushClock

    /// What has been fetched, by challenge; the oldest goes first.
    var open: [Challenge.ID: OpenRequest] = [:]
    var openOrder: [Challenge.ID] = []
    var words: [Challenge.ID: RequestWord] = [:]
    /// What the answers that went out belong to.
    var sentKinds: [Challenge.ID: WorkflowKind] = [:]
    /// What is being answered: nothing else ends these flows.
    var busy: Set<Challenge.ID> = []
    /// What the app gave up before its answer was made.
    var withdrawn: Set<Challenge.ID> = []
    /// Registrations whose reply may still come.
    var registrations: [Enrollment.ID: PendingRegistration] = [:]
    /// Where commands of unknown content led.
    var led: [OrchestrationCommand: Lead] = [:]
    /// The questions about them that are under way.
    var asking: [OrchestrationCommand: Asking] = [:]

    /// Pushed commands that had to be executed to learn that they aren't replies.
    private var executed: [OrchestrationCommand: OrchestrationStep] = [:]
    private(set) var outlets: [FlowRun: Outlet] = [:]
    private(set) var delegates: [WorkflowKind: Outlet] = [:]
    var waiting: [FlowID: Waiter] = [:]
    var exchanges: [Int: CheckedContinuation<Result<RelayReply, PushError>, Never>] = [:]
    private var lastTicket = 0
    private var recovered: Set<String> = []

    struct Waiter {
        let ticket: Int
        let run: FlowRun?
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

    // MARK: Who carries

    /// Has the app carry a run's commands from now on; `nil`: no longer.
    func setOutlet(_ outlet: Outlet?, of run: FlowRun) { outlets[run] = outlet }

    /// Has the app carry requests of a kind where there is no relay.
    func setDelegate(_ outlet: Outlet?, for kind: WorkflowKind) { delegates[kind] = outlet }

    func newTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    // MARK: Commands in

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
        guard case .send = step else {
            throw OneSpanError.command(.unexpectedCommand).error
        }
        // A refused counter is answered in a new flow.
        if let named = engine.flow(of: command), let waiter = waiting.removeValue(forKey: named) {
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
        registrations[enrollment] = nil
        recovered.remove(enrollment.name)
    }

    func patience(for kind: WorkflowKind) -> Duration {
        switch kind {
        case .activation, .changePassword: configuration.patience.activation
        case .notificationRegistration: configuration.patience.answer
        case .authentication, .transaction: configuration.patience.answer
        }
    }
}

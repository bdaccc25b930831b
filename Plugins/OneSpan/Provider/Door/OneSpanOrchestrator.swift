public import PushCore

/// OneSpan's `Orchestrator`: the workflows under their documented names, with delegates.
///
/// It holds no answer of its own. Each request is received, decided and sent by the app's
/// `PushAuthenticator`, whose ledger has every decision before it leaves. Commands go out through
/// the delegates' `…StepComplete`, and their replies come back through
/// ``execute(_:)-(OrchestrationCommand)``.
///
/// One workflow with the user at a time; requests that come meanwhile wait in line. The Swift names
/// of OneSpan's delegates aren't published, so these are the documented Android names.
public actor OneSpanOrchestrator {
    /// What waits for the user.
    struct Prompt {
        let id: Challenge.ID

        /// Whether an answer may be made, once the user has decided.
        let permit: AnswerPermit?
        let end: @Sendable (UserDecision) -> Void
    }

    let authenticator: PushAuthenticator
    let provider: OneSpan
    let queueLimit: Int
    let queueAge: Duration

    private weak var errorDelegate: (any OrchestrationErrorDelegate)?
    private weak var warningDelegate: (any OrchestrationWarningDelegate)?
    private(set) weak var authenticationDelegate: (any RemoteAuthenticationDelegate)?
    private(set) weak var transactionDelegate: (any RemoteTransactionDelegate)?

    private var running: WorkflowRun?
    private var queue: [(command: OrchestrationCommand, since: Duration)] = []

    /// What the user is being asked, and how to end that.
    var prompt: Prompt?

    /// Creates an orchestrator.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator, with the provider in its registry.
    ///   - provider: The same provider.
    ///   - queueLimit: How many requests wait for the user; one more displaces the oldest.
    ///   - queueAge: How long a request waits before it is dropped, by the monotonic clock.
    public init(
        _ authenticator: PushAuthenticator, provider: OneSpan, queueLimit: Int = 4,
        queueAge: Duration = .seconds(60)
    ) {
        self.authenticator = authenticator
        self.provider = provider
        self.queueLimit = max(0, queueLimit)
        self.queueAge = queueAge
    }

    // MARK: Delegates

    /// Sets what hears of errors; held weakly.
    public func setErrorDelegate(_ delegate: (any OrchestrationErrorDelegate)?) {
        errorDelegate = delegate
    }

    /// Sets what hears of warnings; held weakly.
    public func setWarningDelegate(_ delegate: (any OrchestrationWarningDelegate)?) {
        warningDelegate = delegate
    }

    /// Sets what handles remote authentications, and carries their commands; held weakly.
    public func setRemoteAuthenticationDelegate(
        _ delegate: (any RemoteAuthenticationDelegate)?
    ) async {
        authenticationDelegate = delegate
        await provider.carrier.setDelegate(
            delegate == nil ? nil : remoteOutlet, for: .authentication)
    }

    /// Sets what handles remote transactions, and carries their commands; held weakly.
    public func setRemoteTransactionDelegate(_ delegate: (any RemoteTransactionDelegate)?) async {
        transactionDelegate = delegate
        await provider.carrier.setDelegate(delegate == nil ? nil : remoteOutlet, for: .transaction)
    }

    /// Has the delegate of a request's kind carry its commands.
    private var remoteOutlet: CommandCarrier.Outlet {
        CommandCarrier.Outlet { [weak self] (command, kind) throws(PushError) in
            guard let handler = await self?.handler(kind) else {
                throw OneSpanError.handlerNotSet.error
            }
            await handler.carry(command)
        }
    }

    // MARK: Commands in

    /// Executes a command of the server, whichever workflow it belongs to: a reply that a
    /// `…StepComplete` led to, or a request that was pushed or scanned.
    ///
    /// The delegates hear what comes of it. The same request twice does no harm.
    public func execute(_ command: OrchestrationCommand) async {
        do throws(OrchestrationError) {
            switch try await provider.carrier.execute(command) {
            case .reply: break
            case .noise(let error): await errorDelegate?.onOrchestrationServerError(error)
            case .trigger: try await enqueue(command)
            }
        } catch {
            await report(error)
        }
    }

    /// Executes a command that came as text.
    public func execute(_ text: String) async {
        do throws(PushError) {
            await execute(try OrchestrationCommand(text))
        } catch {
            await report(OrchestrationError(error))
        }
    }

    /// Goes through a request with the user, once nothing else runs.
    func enqueue(_ command: OrchestrationCommand) async throws(OrchestrationError) {
        guard running != .request(command), !queue.contains(where: { $0.command == command })
        else { return }
        if let kind = try await provider.carrier.engine.inspect(command)?.kind, !handles(kind) {
            throw OrchestrationError(.handlerNotSet)
        }
        // Looked at again: proving the command took a while.
        guard running != .request(command), !queue.contains(where: { $0.command == command })
        else { return }
        guard running != nil else { return start(command) }
        queue.append((command, provider.environment.clock.elapsed))
        if queue.count > queueLimit {
            queue.removeFirst()
            await warningDelegate?.onOrchestrationWarning(.requestDisplaced)
        }
    }

    private func start(_ command: OrchestrationCommand) {
        running = .request(command)
        Task {
            await carrying(.request(command), remoteOutlet) { await run(command) }
            await next()
        }
    }

    private func next() async {
        running = nil
        while running == nil, !queue.isEmpty {
            let (command, since) = queue.removeFirst()
            guard provider.environment.clock.elapsed - since <= queueAge else {
                await warningDelegate?.onOrchestrationWarning(.requestTooOld)
                continue
            }
            start(command)
        }
    }

    // MARK: One workflow with the user at a time

    /// Runs an activation or a change of the password.
    func runAlone(
        _ run: WorkflowRun, _ outlet: CommandCarrier.Outlet, body: () async -> Void
    ) async throws(PushError) {
        guard running == nil else { throw OneSpanError.workflowInProgress.error }
        running = run
        await carrying(run, outlet, body: body)
        await next()
    }

    /// Takes up a run that an earlier process left; beside whatever runs with the user, as nobody
    /// has to wait for it.
    func runAloneIfFree(
        _ run: WorkflowRun, _ outlet: CommandCarrier.Outlet?, _ body: () async -> Void
    ) async {
        let isFree = running == nil
        if isFree { running = run }
        await carrying(run, outlet, body: body)
        if isFree { await next() }
    }

    /// Has the app carry a run's commands while `body` runs.
    func carrying(
        _ run: WorkflowRun, _ outlet: CommandCarrier.Outlet?, body: () async -> Void
    ) async {
        await provider.carrier.setOutlet(outlet, of: run)
        await body()
        await provider.carrier.setOutlet(nil, of: run)
    }

    /// Ends the running workflow with the user on this device; the server isn't told, and the
    /// delegate's `…Aborted` is called. An answer that is on its way can't be ended.
    ///
    /// - Throws: `PushError`: `conflict` (``OneSpanError/invalidState``) if nothing runs that can be
    ///   ended.
    public func cancel() async throws(PushError) {
        if let prompt {
            if let permit = prompt.permit {
                guard await !provider.driver.isAnswering(prompt.id), await permit.withdraw() else {
                    throw OneSpanError.invalidState.error
                }
            }
            return prompt.end(.cancelled)
        }
        guard let running, await provider.carrier.giveUp(running) else {
            throw OneSpanError.invalidState.error
        }
    }

    // MARK: What its workflows share

    /// Runs a workflow in its enrollment's turn.
    func inTurn<Value: Sendable>(
        of id: Enrollment.ID,
        _ body: @Sendable (WorkflowAccount) async throws(OrchestrationError) -> Value
    ) async throws(OrchestrationError) -> Value {
        let result = try await outside { () async throws(PushError) in
            try await authenticator.turn(of: id) { (account) async throws(PushError) in
                await Result(workflow: { () async throws(OrchestrationError) in
                    try await body(WorkflowAccount(account))
                })
            }
        }
        return try result.get()
    }

    /// Runs something of the core's in a run of this door, and explains its error by what was said in
    /// the run.
    func explained<Value: Sendable>(
        in run: WorkflowRun, _ body: @Sendable () async throws(PushError) -> Value
    ) async throws(OrchestrationError) -> Value {
        let (result, words) = await provider.carrier.collectingWords {
            await Result { () async throws(PushError) in try await body() }
        }
        return try result.mapError { $0.explained(by: words[run]) }.get()
    }

    // MARK: Errors

    func report(_ error: OrchestrationError) async {
        if let found = error.serverError {
            await errorDelegate?.onOrchestrationServerError(found)
        } else {
            await errorDelegate?.onOrchestrationError(error.pushError.attributed(to: provider.id))
        }
    }

    private func handles(_ kind: RequestKind) -> Bool {
        switch kind {
        case .authentication: authenticationDelegate != nil
        case .transaction: transactionDelegate != nil
        }
    }
}

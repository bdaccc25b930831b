import Crypto
public import PushCore
public import PushOneSpan

/// The reference engine: OOC/1, "Open Orchestration Command, version 1".
///
/// OOC/1 is this project's own format. It isn't OneSpan's, and no OneSpan server understands it:
/// use it with the simulator, or with a server of yours that implements it. It has the workflows
/// and round trips that OneSpan documents, over P-256, HKDF-SHA-256, HMAC-SHA-256 and AES-256-GCM.
///
/// Keys and counters live in the enrollments' credentials; flows in memory. The password is never
/// stored, nor anything to test it with.
public actor OpenReferenceEngine: OrchestrationEngine {
    /// `true`: a request is opened with the device's key.
    public nonisolated let canInspect = true

    /// The configuration's, in lower case.
    public nonisolated var domain: String? { configuration.domain.lowercased() }

    /// `true`: a counter is accepted once, and the same bytes get the same reply or −1302.
    public nonisolated let judgesCopiesAlike = true

    let configuration: Configuration
    let environment: PushEnvironment
    let provider: ProviderID
    let accounts: WorkflowAccounts

    var flows = Flows(limit: flowLimit)

    /// How many flows there are at once.
    static let flowLimit = 64

    /// Creates an engine.
    ///
    /// - Parameters:
    ///   - configuration: The tenant.
    ///   - environment: Time, randomness, and the store of the credentials.
    ///   - provider: The provider that the credentials belong to.
    public init(
        _ configuration: Configuration, in environment: PushEnvironment,
        provider: ProviderID = "onespan"
    ) {
        self.configuration = configuration
        self.environment = environment
        self.provider = provider
        accounts = WorkflowAccounts(environment.accounts(for: provider))
    }

    /// The flow in a reply's header, which the server seals with the rest; `nil` for an error that
    /// nobody authenticates.
    public nonisolated func flow(of reply: OrchestrationCommand) -> FlowID? {
        guard let envelope = try? CommandEnvelope(parsing: reply.bytes), !envelope.isTrigger,
            !envelope.header.flags.contains(.unauthenticated)
        else { return nil }
        return FlowID(envelope.header.flow.hexName)
    }

    /// Proves a pushed command without executing it.
    ///
    /// - Throws: `OrchestrationError` with `commandMalformed`, `commandUntrusted` or
    ///   `commandNotForThisDevice`; with the code `storage` if the store fails.
    public func inspect(
        _ command: OrchestrationCommand
    ) async throws(OrchestrationError) -> CommandSummary? {
        let envelope = try envelope(command)
        guard envelope.isTrigger else { return nil }
        return try await openTrigger(envelope).summary
    }

    /// Starts a workflow.
    ///
    /// - Throws: `OrchestrationError` with `input`, `alreadyActivated`, `notActivated` or
    ///   `workflowInProgress`; with the code `blocked` if the server has removed the device,
    ///   `invalidArgument` for an identifier that is too long, or `storage` if the store fails.
    public func start(_ intent: WorkflowIntent) async throws(OrchestrationError)
        -> OrchestrationStep
    {
        switch intent {
        case .activate(let activation): try await startActivation(activation)
        case .registerNotification(let deviceID, let identifier):
            try await startRegistration(of: deviceID, identifier)
        case .changePassword(let deviceID): try await startPasswordChange(deviceID)
        }
    }

    /// Executes a command.
    ///
    /// - Throws: `OrchestrationError` with `commandMalformed`, `commandUntrusted`,
    ///   `commandNotForThisDevice`, `unexpectedCommand`, `invalidState` while the flow takes another
    ///   one, or `activationExpired`; with the code `blocked` if the server has removed the device, or
    ///   `storage` if the store fails.
    public func consume(
        _ command: OrchestrationCommand
    ) async throws(OrchestrationError) -> OrchestrationStep {
        let envelope = try envelope(command)
        if envelope.isTrigger { return try await fetch(envelope) }
        let name = FlowID(envelope.header.flow.hexName)
        if envelope.header.flags.contains(.unauthenticated) {
            let error = try ReceivedError(try envelope.openUnauthenticated())
            return .serverError(error.serverError, flows[name] == nil ? nil : name)
        }
        return try await exclusively(name) { (flow) throws(OrchestrationError) in
            try await self.take(envelope, for: &flow)
        }
    }

    /// Hands over what the user did.
    ///
    /// - Throws: `OrchestrationError` with `invalidState` or `workflowInProgress`; with the code
    ///   `blocked` if the server has removed the device, or `storage` if the store fails.
    public func provide(
        _ input: WorkflowInput, to flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep {
        guard flows[flow] != nil else { throw Self.invalidState }
        return try await exclusively(flow) { (flow) throws(OrchestrationError) in
            switch flow.work {
            case .activation: return try await self.provideToActivation(input, &flow)
            case .registration: throw Self.invalidState
            case .remote: return try await self.provideToRemote(input, &flow)
            case .password: return try await self.provideToPasswordChange(input, &flow)
            }
        }
    }

    /// Ends a flow on this device.
    public func cancel(_ flow: FlowID) async -> Bool {
        guard let running = flows[flow] else { return true }
        guard !running.isDecided, !flows.isBusy(flow) else { return false }
        guard (try? await erase(running)) != nil else { return false }
        flows.remove(flow)
        return true
    }

    /// How long a flow may still wait, by what the server said.
    public func timeLeft(of flow: FlowID) async -> Duration? {
        flows[flow]?.deadline.map { max(.zero, $0 - environment.clock.elapsed) }
    }
}

// MARK: Flows

extension OpenReferenceEngine {
    /// What became of a flow: the step, and the flow to go on with, or `nil` if it is over.
    typealias Progress = (step: OrchestrationStep, flow: Flow?)

    static var invalidState: OrchestrationError {
        OrchestrationError(.invalidState, "The flow doesn't wait for this.")
    }

    /// The flows, oldest first.
    var running: [Flow] { flows.running }

    /// 16 random bytes.
    func newFlowID() -> [UInt8] { environment.random.bytes(16).copiedBytes }

    /// The step that sends what is outstanding in a flow, and keeps the flow.
    func send(_ outstanding: Flow.SentCommand, in flow: inout Flow) -> Progress {
        flow.outstanding = outstanding
        flow.outstanding?.sent = environment.clock.elapsed
        return (
            .send(OrchestrationCommand(bytes: outstanding.command), flow.name, flow.kind), flow
        )
    }

    /// Works on a flow that nobody else works on meanwhile. What throws leaves it as it was.
    private func exclusively(
        _ name: FlowID,
        _ body: (inout Flow) async throws(OrchestrationError) -> Progress
    ) async throws(OrchestrationError) -> OrchestrationStep {
        guard var flow = flows[name] else {
            throw OrchestrationError(.unexpectedCommand, "No flow waits for this.")
        }
        guard flows.begin(name) else { throw Self.invalidState }
        defer { flows.end(name) }
        do throws(OrchestrationError) {
            let progress = try await body(&flow)
            // Displaced or forgotten meanwhile: then it stays so.
            if flows[name] != nil { flows.remove(name) } else { return progress.step }
            if let next = progress.flow { flows.add(next) }
            return progress.step
        } catch {
            if error.endsFlow { flows.remove(name) }
            throw error
        }
    }

    /// Erases what a flow that ends leaves in the store.
    func erase(_ flow: Flow) async throws(OrchestrationError) {
        guard case .activation(let work) = flow.work, let deviceID = work.deviceID,
            case .awaitingCompletion = work.stage
        else { return }
        try await accounts.delete(enrollment(deviceID.hexName))
    }
}

// MARK: Devices

extension OpenReferenceEngine {
    var sealer: CommandSealer { CommandSealer(environment.random, configuration) }

    /// The enrollment that a device's record belongs to.
    func enrollment(_ name: String) -> Enrollment.ID { Enrollment.ID(name, of: provider) }

    /// A device's account.
    ///
    /// - Throws: ``OrchestrationError``: `notActivated`, or the store's own.
    func device(_ name: String) async throws(OrchestrationError) -> WorkflowAccount {
        guard let account = try await accounts.account(enrollment(name)) else {
            throw OrchestrationError(.notActivated, "There is no such device.")
        }
        return account
    }

    /// The account of a device that finished its activation.
    func activated(_ name: String) async throws(OrchestrationError) -> WorkflowAccount {
        let device = try await device(name)
        guard try device.record.finalize == nil else {
            throw OrchestrationError(.notActivated, "The activation isn't finished.")
        }
        return device
    }

    /// Notes that the server has removed a device, and ends the device's flows. Its keys stay until
    /// it is forgotten.
    func deactivate(_ device: WorkflowAccount) async throws(OrchestrationError) {
        try await device.change { (own: inout OneSpanCredential, enrollment) in
            own.isDeactivated = true
            enrollment.state = .needsReenrollment
        }
        endFlows(of: device.id.name)
    }

    private func endFlows(of name: String) {
        for flow in running where flow.deviceID?.hexName == name { flows.remove(flow.name) }
    }

    /// Erases a device's keys and ends its flows.
    ///
    /// - Throws: `OrchestrationError` with the code `storage` if the store fails.
    public func forget(_ deviceID: String) async throws(OrchestrationError) {
        endFlows(of: deviceID)
        try await accounts.delete(enrollment(deviceID))
    }
}

extension OrchestrationError {
    /// Whether it ends the flow that it came from: the activation's time is over, or the device can
    /// send no command any more.
    fileprivate var endsFlow: Bool { code == .over || code == .blocked }
}

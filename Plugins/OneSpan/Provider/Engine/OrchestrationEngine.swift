import PushCore

/// What holds the format of the commands and the workflows' keys and counters: OneSpan's SDK,
/// through an adapter that whoever licenses it writes, or
/// `OpenReferenceEngine` of PushOneSpanReference.
///
/// The seam is at the steps of a workflow, not at bytes: OneSpan's SDK exposes no codec. An engine
/// is asked to start, to consume a command, or to take an input, and says what is next. It never
/// sees a URL. Its caller carries commands, asks the user, keeps time and calls delegates.
///
/// Calls for one device come one at a time. The flows live in memory, keys and counters in the
/// engine's storage, written before a command that needs them leaves.
public protocol OrchestrationEngine: Sendable {
    /// Whether ``inspect(_:)`` proves every request without executing it, so that `nil` means a
    /// reply.
    var canInspect: Bool { get }

    /// The domain of users that name none; `nil` if the engine doesn't tell.
    var domain: String? { get }

    /// Whether the server judges each answer once, so that its word on one copy of the same bytes,
    /// such as that the password was wrong, is its word on every other copy, already sent or still
    /// on its way.
    var judgesCopiesAlike: Bool { get }

    /// The flow that a reply says it belongs to, by its shape alone; nothing is proved by it.
    ///
    /// - Returns: `nil` if the engine can't tell without executing it, or if it is no reply.
    func flow(of reply: OrchestrationCommand) -> FlowID?

    /// Proves a pushed command without executing it.
    ///
    /// - Returns: `nil` if the command is a reply, or the engine can't tell without executing it.
    /// - Throws: ``OrchestrationError`` with ``OneSpanError/commandMalformed``,
    ///   ``OneSpanError/commandUntrusted`` or ``OneSpanError/commandNotForThisDevice`` if it is no
    ///   command for this device.
    func inspect(_ command: OrchestrationCommand) async throws(OrchestrationError)
        -> CommandSummary?

    /// Finds what is wrong with the inputs of an activation before the user chooses a password.
    /// Nothing is started, stored or sent.
    ///
    /// - Throws: ``OrchestrationError`` with ``OneSpanError/input(_:)``.
    func check(_ activation: WorkflowIntent.Activation) throws(OrchestrationError)

    /// Starts a workflow.
    ///
    /// - Throws: ``OrchestrationError`` with ``OneSpanError/input(_:)``,
    ///   ``OneSpanError/notActivated``, ``OneSpanError/alreadyActivated`` or
    ///   ``OneSpanError/workflowInProgress``; nothing is started then.
    func start(_ intent: WorkflowIntent) async throws(OrchestrationError) -> OrchestrationStep

    /// Executes a command: one that was pushed or scanned starts a remote workflow, a reply moves
    /// its flow on.
    ///
    /// - Throws: ``OrchestrationError`` with ``OneSpanError/commandMalformed``,
    ///   ``OneSpanError/commandUntrusted``, ``OneSpanError/commandNotForThisDevice`` or
    ///   ``OneSpanError/unexpectedCommand`` if the command can't be taken. Its flow, if there is one,
    ///   keeps waiting. With ``OneSpanError/activationExpired`` the flow is over.
    func consume(_ command: OrchestrationCommand) async throws(OrchestrationError)
        -> OrchestrationStep

    /// Hands over what the user did.
    ///
    /// - Throws: ``OrchestrationError`` with ``OneSpanError/invalidState`` if the flow
    ///   doesn't wait for it; the flow is as before.
    func provide(
        _ input: WorkflowInput, to flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep

    /// Ends a flow on this device; the server isn't told. A flow whose answer is on its way can't
    /// be ended: only the server's word counts then.
    ///
    /// - Returns: Whether the flow is over.
    func cancel(_ flow: FlowID) async -> Bool

    /// Takes up what a device had sent when its process ended: the last command of an activation,
    /// or a change of the password.
    ///
    /// - Returns: The stored bytes, to be sent again, or the question for a password that they need
    ///   before; `nil` if nothing is unanswered.
    /// - Throws: ``OrchestrationError`` with ``OneSpanError/notActivated`` if there is no such device,
    ///   or with the code `storage`.
    func resume(_ deviceID: String) async throws(OrchestrationError) -> OrchestrationStep?

    /// Takes up an answer that an earlier process sent, so that its reply can be consumed.
    ///
    /// - Parameters:
    ///   - answer: The bytes that were sent.
    ///   - requestID: The request they answer.
    /// - Returns: The same bytes, to be sent again.
    /// - Throws: ``OrchestrationError`` with ``OneSpanError/unexpectedCommand`` if the bytes are no
    ///   answer, ``OneSpanError/notActivated`` if there is no such device,
    ///   ``OneSpanError/invalidState`` if the request's flow is elsewhere.
    func resume(
        _ answer: OrchestrationCommand, of requestID: String
    ) async throws(OrchestrationError) -> OrchestrationStep

    /// How long a flow may still wait for the server or the user, by what the server said; `nil`
    /// if it said nothing.
    func timeLeft(of flow: FlowID) async -> Duration?

    /// Erases a device's keys and ends its flows; the server isn't told.
    ///
    /// - Throws: ``OrchestrationError`` with the code `storage` if the keys can't be erased. The
    ///   enrollment is deleted all the same.
    func forget(_ deviceID: String) async throws(OrchestrationError)
}

extension OrchestrationEngine {
    /// `false`: a command must be executed to learn what it is.
    public var canInspect: Bool { false }

    /// `nil`: the engine doesn't tell.
    public var domain: String? { nil }

    /// `false`: what the server says of one copy of an answer may not hold for another.
    public var judgesCopiesAlike: Bool { false }

    /// `nil`: a command must be executed to learn what it is.
    ///
    /// - Throws: Nothing.
    public func inspect(
        _ command: OrchestrationCommand
    ) async throws(OrchestrationError) -> CommandSummary? { nil }

    /// `nil`: nothing is taken up that an earlier process left.
    ///
    /// - Throws: Nothing.
    public func resume(_ deviceID: String) async throws(OrchestrationError) -> OrchestrationStep? {
        nil
    }

    /// `nil`: a command must be executed to learn what it belongs to.
    public func flow(of reply: OrchestrationCommand) -> FlowID? { nil }

    /// Finds nothing: the engine looks at the inputs when the activation starts.
    ///
    /// - Throws: Nothing.
    public func check(_ activation: WorkflowIntent.Activation) throws(OrchestrationError) {}

    /// `nil`: the engine says nothing of time.
    public func timeLeft(of flow: FlowID) async -> Duration? { nil }
}

extension OrchestrationEngine {
    /// Hands over a password that the user chose or entered; a flow that can't take it is over.
    func provide(
        password: Secret, orEnd flow: FlowID
    ) async throws(OrchestrationError) -> OrchestrationStep {
        do throws(OrchestrationError) {
            return try await provide(.secret(password), to: flow)
        } catch {
            _ = await cancel(flow)
            throw error
        }
    }
}

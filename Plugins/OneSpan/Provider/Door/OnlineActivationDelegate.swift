/// What an online activation tells its app (OneSpan, "Exposed APIs: activation").
public protocol OnlineActivationDelegate: AnyObject, Sendable {
    /// A command must go to the server; four times. The reply goes to
    /// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``.
    func onActivationStepComplete(_ command: OrchestrationCommand) async

    /// The device is activated. A notification registration must follow.
    func onActivationSuccess() async

    /// An input isn't usable; nothing was sent.
    func onActivationInputError(_ error: ActivationInputProblem) async

    /// The activation was given up.
    func onActivationAborted() async
}

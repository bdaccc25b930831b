/// What a remote authentication tells its app (OneSpan, "Exposed APIs: remote authentication").
public protocol RemoteAuthenticationDelegate: AnyObject, Sendable {
    /// The user must see this and decide: call one of the caller's methods.
    func onRemoteAuthenticationDisplayData(
        _ dataToDisplay: DisplayContent, _ caller: DisplayDataCaller
    ) async

    /// A command must go to the server; twice. The reply goes to
    /// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``.
    func onRemoteAuthenticationStepComplete(_ command: OrchestrationCommand) async

    /// The server took the answer into account. A rejection ends here, too.
    func onRemoteAuthenticationSuccess(_ result: RemoteAuthenticationResult) async

    /// The request is no longer pending.
    func onRemoteAuthenticationSessionOutdated(_ reason: SessionOutdatedReason) async

    /// The user gave up; the server isn't told.
    func onRemoteAuthenticationAborted() async

    /// The password wasn't right. The user is asked again.
    ///
    /// - Parameter attemptsLeft: How often they may try yet; `nil` if unknown.
    func onRemoteAuthenticationPasswordError(attemptsLeft: Int?) async
}

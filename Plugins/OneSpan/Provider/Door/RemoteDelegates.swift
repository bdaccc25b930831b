public import PushCore

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

/// What a remote transaction tells its app (OneSpan, "Exposed APIs: remote transaction").
public protocol RemoteTransactionDelegate: AnyObject, Sendable {
    /// The user must see this and decide: call one of the caller's methods.
    func onRemoteTransactionDisplayData(
        _ dataToDisplay: DisplayContent, _ caller: DisplayDataCaller
    ) async

    /// A command must go to the server; twice. The reply goes to
    /// ``OneSpanOrchestrator/execute(_:)-(OrchestrationCommand)``.
    func onRemoteTransactionStepComplete(_ command: OrchestrationCommand) async

    /// The server took the answer into account. A rejection ends here, too.
    func onRemoteTransactionSuccess(_ result: RemoteAuthenticationResult) async

    /// The request is no longer pending.
    func onRemoteTransactionSessionOutdated(_ reason: SessionOutdatedReason) async

    /// The user gave up; the server isn't told.
    func onRemoteTransactionAborted() async

    /// The password wasn't right. The user is asked again.
    ///
    /// - Parameter attemptsLeft: How often they may try yet; `nil` if unknown.
    func onRemoteTransactionPasswordError(attemptsLeft: Int?) async
}

/// What came of asking the user.
enum UserDecision: Sendable {
    case approved, rejected, cancelled, timeEnded
}

/// What the app calls once the user has decided: OneSpan's `DisplayDataCaller`.
///
/// The first call counts.
public struct DisplayDataCaller: Sendable {
    /// Why the user can only reject, as what an approval would stand for can't all be shown; `nil` if
    /// they may approve. An approval ends as an error then.
    public let problem: DisplayProblem?

    let decide: @Sendable (UserDecision) -> Void

    /// The user approves.
    public func onDataApproved() { decide(.approved) }

    /// The user rejects. That needs no authentication.
    public func onDataRejected() { decide(.rejected) }
}

/// What the server made of an answer: OneSpan's `RemoteAuthenticationResult` (Orchestration SDK
/// 5.13.2).
public struct RemoteAuthenticationResult: Sendable {
    /// OneSpan's `RemoteSessionState`.
    public enum RemoteSessionState: Hashable, Sendable {
        /// The user accepted.
        case accepted
        /// The user refused. A rejection ends here, too: it isn't an error.
        case refused
    }

    /// What the user decided, as the server took it.
    public let remoteSessionState: RemoteSessionState

    /// The token that the back end may issue; `nil` if it issued none.
    public let authToken: Secret?

    init(isAccepted: Bool, authToken: Secret?) {
        remoteSessionState = isAccepted ? .accepted : .refused
        self.authToken = authToken
    }
}

/// The two remote delegates as one: the workflows differ in their names alone.
enum RemoteHandler: Sendable {
    case authentication(any RemoteAuthenticationDelegate)
    case transaction(any RemoteTransactionDelegate)

    func carry(_ command: OrchestrationCommand) async {
        switch self {
        case .authentication(let delegate):
            await delegate.onRemoteAuthenticationStepComplete(command)
        case .transaction(let delegate):
            await delegate.onRemoteTransactionStepComplete(command)
        }
    }

    func display(_ content: DisplayContent, _ caller: DisplayDataCaller) async {
        switch self {
        case .authentication(let delegate):
            await delegate.onRemoteAuthenticationDisplayData(content, caller)
        case .transaction(let delegate):
            await delegate.onRemoteTransactionDisplayData(content, caller)
        }
    }

    func succeed(_ result: RemoteAuthenticationResult) async {
        switch self {
        case .authentication(let delegate):
            await delegate.onRemoteAuthenticationSuccess(result)
        case .transaction(let delegate): await delegate.onRemoteTransactionSuccess(result)
        }
    }

    func tellOutdated(_ reason: SessionOutdatedReason) async {
        switch self {
        case .authentication(let delegate):
            await delegate.onRemoteAuthenticationSessionOutdated(reason)
        case .transaction(let delegate):
            await delegate.onRemoteTransactionSessionOutdated(reason)
        }
    }

    func tellAborted() async {
        switch self {
        case .authentication(let delegate): await delegate.onRemoteAuthenticationAborted()
        case .transaction(let delegate): await delegate.onRemoteTransactionAborted()
        }
    }

    func tellPasswordError(attemptsLeft: Int?) async {
        switch self {
        case .authentication(let delegate):
            await delegate.onRemoteAuthenticationPasswordError(attemptsLeft: attemptsLeft)
        case .transaction(let delegate):
            await delegate.onRemoteTransactionPasswordError(attemptsLeft: attemptsLeft)
        }
    }
}

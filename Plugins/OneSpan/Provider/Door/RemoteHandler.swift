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

/// What an app should know although the workflow goes on: OneSpan's global warning callback.
public protocol OrchestrationWarningDelegate: AnyObject, Sendable {
    /// Something to know.
    func onOrchestrationWarning(_ warning: OrchestrationWarning) async
}

public import PushCore

/// What goes wrong in any workflow: OneSpan's global error callback.
public protocol OrchestrationErrorDelegate: AnyObject, Sendable {
    /// The running workflow failed on the device, or on the way to the server.
    ///
    /// - Parameter error: `PushError.oneSpan` has it in OneSpan's terms.
    func onOrchestrationError(_ error: PushError) async

    /// The executed command was an error of the server.
    ///
    /// Never show its text unless ``ServerError/isAuthenticated``; such an error ended the
    /// workflow, any other one changed nothing.
    func onOrchestrationServerError(_ error: ServerError) async
}

/// What an app should know although the workflow goes on: OneSpan's global warning callback.
public protocol OrchestrationWarningDelegate: AnyObject, Sendable {
    /// Something to know.
    func onOrchestrationWarning(_ warning: OrchestrationWarning) async
}

/// Something to know although the workflow goes on. OneSpan's warning codes aren't published:
/// these are ours.
@nonexhaustive
public enum OrchestrationWarning: Hashable, Sendable {
    /// Too many requests wait for the user: the oldest was dropped. It can be executed again.
    case requestDisplaced
    /// A request waited for too long behind another one, and was dropped.
    case requestTooOld
}

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

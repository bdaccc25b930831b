/// A remote authentication or transaction as it was fetched: the details of a challenge.
public struct OneSpanRequest: Hashable, Sendable {
    /// ``WorkflowKind/authentication`` or ``WorkflowKind/transaction``.
    public let kind: WorkflowKind

    /// What the server sent.
    public let request: DisplayRequest
}

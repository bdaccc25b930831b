import PushCore

/// A message that ends a process, or removes its notifications.
public struct XignPushMessageCancel: Hashable, Sendable, Codable {
    /// Whether its notification may vanish silently; else replace it by one that says why.
    public let isIgnorable: Bool

    /// The process.
    public let processId: String

    /// The manager that sent it. The same process of another manager is another one.
    public let idmIdentifier: String

    /// Why it is over.
    public let reason: XignCancelReason

    init(_ id: Challenge.ID, _ reason: XignCancelReason, isIgnorable: Bool) {
        self.isIgnorable = isIgnorable
        processId = id.name
        idmIdentifier = id.enrollment.name
        self.reason = reason
    }
}

public import PushCore

/// A message that ends a process, or removes its notifications.
public struct XignPushMessageCancel: Hashable, Sendable, Codable {
    /// Whether its notification may vanish silently; else replace it by one that says why.
    public let isIgnorable: Bool

    /// The process.
    public let processId: String

    /// The manager that sent it. The same process of another manager is another one.
    public let idmIdentifier: String

    private let reasonName: String

    private enum CodingKeys: String, CodingKey {
        case isIgnorable, processId, idmIdentifier
        case reasonName = "reason"
    }

    /// Why it is over.
    public var reason: Withdrawal.Reason { .init(rawValue: reasonName) ?? .unknown }

    init(_ id: Challenge.ID, _ reason: Withdrawal.Reason, isIgnorable: Bool) {
        self.isIgnorable = isIgnorable
        processId = id.name
        idmIdentifier = id.enrollment.name
        reasonName = reason.rawValue
    }
}

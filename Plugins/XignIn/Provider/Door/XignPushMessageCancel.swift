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

/// Why a process is over.
public enum XignCancelReason: String, Hashable, Sendable, Codable {
    /// Another device has taken it over.
    case processedElsewhere = "processed_elsewhere"
    /// It was aborted: by the service, or by a rejection on another device.
    case aborted
    /// It was completed.
    case completed
    /// Its time ran out.
    case expired
}

extension XignCancelReason {
    /// The same in the core's terms.
    var withdrawal: Withdrawal.Reason {
        switch self {
        case .processedElsewhere: .elsewhere
        case .aborted: .cancelled
        case .completed: .finished
        case .expired: .expired
        }
    }

    /// Reads the core's word.
    init(_ reason: Withdrawal.Reason) {
        self =
            switch reason {
            case .elsewhere: .processedElsewhere
            case .finished: .completed
            case .expired: .expired
            default: .aborted
            }
    }
}

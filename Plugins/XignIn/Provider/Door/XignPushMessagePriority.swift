public import PushCore

/// How urgent a manager says a message is. For display, such as the choice of an icon: even a low one
/// is to be shown at once, as most processes live only for a short time.
public enum XignPushMessagePriority: String, Hashable, Sendable, Codable {
    /// The manager doesn't say, or in words that this version doesn't know.
    case unspecified
    /// Low.
    case low
    /// As usual.
    case normal
    /// High.
    case high

    /// The same in the core's terms.
    public init(_ priority: Notice.Priority) {
        self =
            switch priority {
            case .unspecified: .unspecified
            case .low: .low
            case .normal: .normal
            case .high: .high
            }
    }
}

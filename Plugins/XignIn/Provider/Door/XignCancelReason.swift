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

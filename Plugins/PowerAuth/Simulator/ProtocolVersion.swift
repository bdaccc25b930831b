/// The protocol versions that a server of the 1.9 and 1.10 generations takes.
enum ProtocolVersion: String, Sendable, Comparable {
    case v30 = "3.0"
    case v31 = "3.1"
    case v32 = "3.2"
    case v33 = "3.3"

    static func < (one: ProtocolVersion, other: ProtocolVersion) -> Bool {
        one.rawValue < other.rawValue
    }
}

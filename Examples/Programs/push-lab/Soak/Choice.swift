import PushCore

/// A decision on a login, in the words of the harness.
enum Choice: Hashable, Sendable, CustomStringConvertible {
    case approve
    case deny
    case number(String)

    /// Its text on the lines between the processes, and in the server's log.
    var description: String {
        switch self {
        case .approve: "approve"
        case .deny: "deny"
        case .number(let number): number
        }
    }

    init(_ text: String) {
        switch text {
        case "approve": self = .approve
        case "deny": self = .deny
        default: self = .number(text)
        }
    }

    init(_ resolution: Resolution) {
        switch resolution {
        case .deny: self = .deny
        case .choose(let number), .enter(let number): self = .number(number)
        case .approve: self = .approve
        }
    }

    var resolution: Resolution {
        switch self {
        case .approve: .approve
        case .deny: .deny(.unexpected)
        case .number(let number): .choose(number)
        }
    }
}

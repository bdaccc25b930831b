import Foundation
import NIOCore

/// What keeps a server from listening.
public enum Obstacle: Error, Hashable, Sendable {
    /// Somebody else listens at this port.
    case portTaken
    /// The system allows this port only to a privileged process.
    case notAllowed
    /// The host is no address of this machine.
    case foreignHost

    /// What an error of the system means; `nil` for any other.
    public init?(_ error: any Error) {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: self = .portTaken
        case EACCES, EPERM: self = .notAllowed
        case EADDRNOTAVAIL: self = .foreignHost
        default: return nil
        }
    }
}

extension Obstacle: CustomStringConvertible {
    /// What it is, in a few words.
    public var description: String {
        switch self {
        case .portTaken: "another program listens there"
        case .notAllowed: "only a privileged process may"
        case .foreignHost: "it is no address of this machine"
        }
    }
}

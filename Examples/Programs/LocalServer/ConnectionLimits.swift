import Foundation

/// How many connections and streams servers of one process keep, all together.
///
/// Whoever can reach a server can open connections: those that no accepted credential came over have the
/// smaller part, so that they can't take the place of those that have one.
public struct ConnectionLimits: Hashable, Sendable {
    /// How many connections are kept that a credential was accepted on.
    public var proved: Int

    /// How many others are kept.
    public var unproved: Int

    /// How many streams of HTTP/2 may be open on connections without an accepted credential, each about
    /// 25 kB and the body that it brings.
    public var unprovedStreams = 1000

    /// How many streams of HTTP/2 may be open.
    public var streams = 4000

    /// How many streams of HTTP/2 a connection may have open, which clients are told, as Apple's are.
    public static let streamsPerConnection = 1000

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - proved: How many connections with an accepted credential are kept.
    ///   - unproved: How many others are.
    public init(proved: Int, unproved: Int) {
        self.proved = proved
        self.unproved = unproved
    }

    /// Creates the limits of a process that may have so many descriptors open. A quarter is left to its
    /// store, its vendors and its files.
    public init(descriptors: Int) {
        let connections = min(max(descriptors - max(descriptors / 4, 64), 8), 16_384)
        let unproved = min(max(connections / 4, 4), 1024)
        self.init(proved: connections - unproved, unproved: unproved)
    }

    /// The limits of this process, which may have as many descriptors from now on as it can give itself.
    ///
    /// - Returns: The limits.
    public static func ofThisProcess() -> ConnectionLimits {
        #if canImport(Darwin)
        let resource = RLIMIT_NOFILE
        // More than this isn't taken, whatever the hard limit says.
        let most = rlim_t(OPEN_MAX)
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        let most = rlim_t.max
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return ConnectionLimits(descriptors: 256) }
        let found = limit.rlim_cur
        limit.rlim_cur = min(limit.rlim_max, most)
        // Not an error: what was found holds.
        if limit.rlim_cur > found, setrlimit(resource, &limit) != 0 { limit.rlim_cur = found }
        return ConnectionLimits(descriptors: Int(clamping: max(limit.rlim_cur, found)))
    }

    /// More than there can be.
    static let none: ConnectionLimits = {
        var limits = ConnectionLimits(proved: .max / 4, unproved: .max / 4)
        limits.unprovedStreams = .max
        limits.streams = .max
        return limits
    }()
}

/// How many connections there are.
public struct ConnectionLoad: Hashable, Sendable {
    /// All that are open.
    public var open = 0

    /// How many are kept that no credential was accepted on.
    public var unproved = 0

    /// How many were closed for the next one since the start.
    public var closedForOthers = 0

    /// Whether there are nearly as many as are kept.
    public var isNearLimit = false
}

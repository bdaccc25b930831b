import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension XignInSimulator {
    /// When wrong factors lock an activation.
    public struct LockoutPolicy: Hashable, Sendable {
        /// How many wrong factors in a row begin a lockout, at least 1; `nil` if none ever does.
        public var attempts: Int? = 3

        /// How long a lockout lasts, in whole seconds.
        public var duration: Duration = .seconds(30)

        /// How many wrong factors without a right one lock for good, at least 1; `nil` if none do.
        public var permanentAfter: Int?

        /// Creates a policy of three attempts, 30 seconds, and no permanent lockout.
        public init() {}
    }

    /// How close an activation is to being locked, or for how long it is.
    public struct Lockout: Hashable, Sendable {
        /// How many factors were wrong since the last right one.
        public let failures: Int

        /// How many more may be wrong before the next lockout; `nil` if there is no limit.
        public let remaining: Int?

        /// When a running lockout ends, by the manager's clock; `nil` if none runs, or if it
        /// never ends.
        public let end: Date?

        /// Whether the activation is locked for good.
        public let isPermanent: Bool
    }
}

/// An activation's wrong factors, and the lockout they led to.
struct Guesses {
    private(set) var failures = 0
    private(set) var isPermanent = false
    private var sinceLockout = 0
    private var end: Int64?

    typealias Policy = XignInSimulator.LockoutPolicy

    func isLocked(at now: Int64) -> Bool { isPermanent || now < end ?? now }

    mutating func forget() { self = Guesses() }

    /// Counts a wrong factor, and begins a lockout if it was one too many.
    mutating func fail(at now: Int64, by policy: Policy) {
        failures += 1
        sinceLockout += 1
        if let limit = policy.permanentAfter, failures >= max(limit, 1) { isPermanent = true }
        if let limit = policy.attempts, sinceLockout >= max(limit, 1) {
            sinceLockout = 0
            end = now + policy.duration.components.seconds
        }
    }

    func remaining(at now: Int64, by policy: Policy) -> Int? {
        if isLocked(at: now) { return 0 }
        let limits = [
            policy.attempts.map { max($0, 1) - sinceLockout },
            policy.permanentAfter.map { max($0, 1) - failures },
        ]
        return limits.compactMap { $0 }.min().map { max($0, 0) }
    }

    /// What a device is told of the attempt that just failed, or of the lockout that runs.
    ///
    /// An attempt's seconds are how long a lockout lasts once no attempt remains.
    func json(_ kind: Kind, at now: Int64, by policy: Policy) -> JSON {
        let seconds =
            switch kind {
            case _ where isPermanent: Int64(0)
            case .attempt: policy.attempts == nil ? 0 : policy.duration.components.seconds
            case .pending: max((end ?? now) - now, 0)
            }
        return [
            "kind": .string(kind.rawValue), "seconds": JSON(seconds),
            "remaining": remaining(at: now, by: policy).map { JSON($0) } ?? .null,
            "permanent": .bool(isPermanent),
        ]
    }

    enum Kind: String { case attempt, pending }

    func lockout(at now: Int64, by policy: Policy) -> XignInSimulator.Lockout {
        let isRunning = isLocked(at: now) && !isPermanent
        return .init(
            failures: failures, remaining: remaining(at: now, by: policy),
            end: isRunning ? end.map { Date(timeIntervalSince1970: Double($0)) } : nil,
            isPermanent: isPermanent)
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension XignInSimulator {
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

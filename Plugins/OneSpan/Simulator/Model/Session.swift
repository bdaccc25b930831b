#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension OneSpanSimulator {
    /// A login or a transaction, as its back office sees it.
    public struct Session: Hashable, Sendable, Identifiable {
        /// The request identifier (`requestID`), by which its status is asked for.
        public let id: String

        /// The session identifier.
        public let sessionID: String

        /// Whose it is.
        public let user: String

        /// Whether it is a transaction rather than a login.
        public let isTransaction: Bool

        /// How the user authenticates.
        public let method: AuthenticationMethod

        /// What the device shows.
        public let display: DisplayContent

        /// Until when it may be decided.
        public let deadline: Date

        /// Where it stands.
        public let status: SessionStatus

        /// What decided it, if a device did.
        public let decision: Decision?
    }

    /// The answer that decided a session.
    public struct Decision: Hashable, Sendable {
        /// Whether it was a yes.
        public let isApproved: Bool

        /// How the user authenticated; ``AuthenticationMethod/none`` for a no.
        public let method: AuthenticationMethod

        /// Which device it came from: 32 hexadecimal digits, in lower case.
        public let device: String

        /// What the device says it showed: the SHA-256 of form and data, 32 bytes. It equals what
        /// the session was to show, else the answer is refused.
        public let displayDigest: Data
    }
}

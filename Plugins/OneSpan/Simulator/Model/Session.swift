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

    /// Where a login or a transaction stands; its raw value is the platform's `sessionStatus`.
    @nonexhaustive
    public enum SessionStatus: String, Hashable, Sendable, CaseIterable {
        /// Nobody decided yet.
        case pending
        /// The user approved.
        case accepted
        /// The user refused.
        case refused
        /// Too many wrong responses. Some integrators call it `failure`.
        case failed
        /// Nobody decided in time.
        case timeout
        /// There is no such request.
        case unknown
    }

    /// How the user authenticates before an approval.
    @nonexhaustive
    public enum AuthenticationMethod: UInt8, Hashable, Sendable, CaseIterable {
        /// Not at all.
        case none = 0
        /// By the password that was chosen at activation. OneSpan's `passKey` `PIN`.
        case password = 1
        /// By biometry, or the password in its place. OneSpan's `passKey` `Fingerprint`.
        case biometric = 2
    }
}

extension OneSpanSimulator.SessionStatus {
    /// Tag 002B.
    var wire: UInt8 {
        switch self {
        case .unknown: 0
        case .pending: 1
        case .accepted: 2
        case .refused: 3
        case .timeout: 4
        case .failed: 5
        }
    }
}

/// A login or a transaction that waits for a decision.
struct Request {
    let id: String
    let sessionID: String
    let user: String
    let account: Int
    let isTransaction: Bool
    let method: OneSpanSimulator.AuthenticationMethod
    let display: OneSpanSimulator.DisplayContent
    let deadline: Date
    var state = OneSpanSimulator.SessionStatus.pending
    var wrongResponses = 0
    var decision: OneSpanSimulator.Decision?

    /// The SHA-256 of form and data, as the device was to show them.
    var displayDigest: [UInt8] { KeySchedule.hash([display.form] + display.data) }
}

extension OneSpanSimulator {
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

extension PowerAuthSimulator {
    /// How an operation stands, by the protocol's names.
    public enum OperationStatus: String, Hashable, Sendable, CaseIterable {
        /// It waits for its user.
        case pending = "PENDING"
        /// Its user approved it.
        case approved = "APPROVED"
        /// Its user rejected it.
        case rejected = "REJECTED"
        /// The back office took it back.
        case canceled = "CANCELED"
        /// Nobody answered in time.
        case expired = "EXPIRED"
        /// It was tried too often, or can't be done any more.
        case failed = "FAILED"
    }

    /// What a push says of an operation that is over, by the protocol's names.
    public enum OperationResult: String, Hashable, Sendable, CaseIterable {
        /// It was confirmed.
        case success = "authentication.success"
        /// Its confirmation failed.
        case failure = "authentication.fail"
        /// It has expired.
        case timeout = "operation.timeout"
        /// It was cancelled.
        case canceled = "operation.canceled"
        /// Its user may not use mobile tokens any more.
        case methodNotAvailable = "operation.methodNotAvailable"
    }
}

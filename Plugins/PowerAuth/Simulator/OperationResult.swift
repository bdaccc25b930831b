extension PowerAuthSimulator {
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

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
}

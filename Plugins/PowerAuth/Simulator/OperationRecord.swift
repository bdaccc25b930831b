extension PowerAuthSimulator {
    /// An operation as a back office sees it at one moment.
    public struct OperationRecord: Hashable, Sendable, Identifiable {
        /// Its identifier, a UUID in lower case.
        public let id: String

        /// Whose it is; `nil` if nobody has claimed it.
        public let user: String?

        /// How it stands.
        public let status: OperationStatus

        /// Why, if somebody said so, such as the reason of a rejection; complete.
        public let reason: String?

        /// How many approvals were wrong.
        public let failures: Int

        init(_ operation: Operation) {
            id = operation.id
            user = operation.user
            status = operation.status
            reason = operation.reason
            failures = operation.failures
        }
    }
}

extension PlusAuthSimulator {
    /// An answer that the server has taken.
    public struct ReceivedAnswer: Hashable, Sendable {
        /// What the device chose.
        @nonexhaustive
        public enum Choice: Hashable, Sendable {
            /// `response` `accepted`.
            case accepted
            /// `response` `rejected`, or for a code `reject_reason` alone.
            case rejected
            /// `selected_value`, exactly as it came.
            case selected(String)
        }

        /// What the device chose.
        public let choice: Choice

        /// `reject_reason`: `ignore` or `fraud_suspicion`. What the real server does with either
        /// is UNCONFIRMED.
        public let rejectReason: String?

        /// The credential that signed it.
        public let credential: RegisteredDevice.ID
    }
}

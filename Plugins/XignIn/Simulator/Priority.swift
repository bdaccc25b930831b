extension XignInSimulator {
    /// How urgent a message wants to look. Never a reason for a device to wait.
    @nonexhaustive
    public enum Priority: String, Hashable, Sendable {
        /// Nothing was said; the message leaves it out.
        case unspecified
        /// Unobtrusive.
        case low
        /// As any other.
        case normal
        /// Urgent.
        case high
    }
}

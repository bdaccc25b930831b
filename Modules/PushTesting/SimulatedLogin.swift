/// A login that waits for its push to be answered.
public struct SimulatedLogin: Hashable, Sendable, Identifiable {
    /// What a login asks of the user.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Approve or deny.
        case confirm
        /// Choose or enter what the login page shows.
        case number
        /// Approve after a biometric check, or deny.
        case biometry
    }

    /// Where a login stands.
    @nonexhaustive
    public enum Status: Hashable, Sendable {
        /// Nobody has answered yet.
        case waiting
        /// The user is logged in.
        case approved
        /// The user said no.
        case denied
        /// The answer was wrong, such as a wrong number.
        case failed
        /// Nobody answered in time.
        case expired
    }

    /// The simulator's identifier of it.
    public let id: String

    /// What the login page shows the user, such as a number to choose.
    public let shown: String?

    /// Creates a login.
    public init(id: String, shown: String? = nil) {
        self.id = id
        self.shown = shown
    }
}

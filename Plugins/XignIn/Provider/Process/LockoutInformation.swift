/// What a manager says about wrong factors. It counts them for each activation.
public struct LockoutInformation: Hashable, Sendable, Codable {
    /// Which of the two it is.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// This try was wrong; the process goes on.
        case attempt
        /// An earlier lockout still runs; the process is dead.
        case pending
    }

    /// Which of the two it is.
    public let kind: Kind

    /// How long the lockout lasts, in seconds; 0 if there is none.
    public let seconds: Int

    /// How many more tries there are; `nil` if the manager doesn't say.
    public let remaining: Int?

    /// Whether only a new activation helps.
    public let isPermanent: Bool

    /// Creates a value.
    public init(kind: Kind, seconds: Int, remaining: Int?, isPermanent: Bool) {
        self.kind = kind
        self.seconds = seconds
        self.remaining = remaining
        self.isPermanent = isPermanent
    }
}

public import PushCore

/// The messages that a provider is checked with.
///
/// They are for enrollments that the provider's store already holds. No two of them announce the
/// same challenge, except within a ``Pair``; leave empty what the vendor doesn't have.
public struct ProviderFixtures: Sendable {
    /// Messages from the vendor, as they come; at least one.
    public var genuine: [PushMessage]

    /// Messages in the vendor's shape that the vendor didn't make: a wrong key, a changed claim.
    public var forged: [PushMessage] = []

    /// Messages of others: the app's own, another vendor's.
    public var foreign: [PushMessage] = []

    /// Messages in the vendor's shape that can't be read.
    public var malformed: [PushMessage] = []

    /// Genuine messages whose kind of prompt this version doesn't know.
    public var unknownPrompts: [PushMessage] = []

    /// Genuine messages whose time had run out when they came, by the server's time. The
    /// authenticator must know that time from the server's replies (`Date`), because the device's
    /// clock doesn't decide.
    public var expired: [PushMessage] = []

    /// Genuine announcements, each with the message that takes it back.
    public var withdrawals: [Pair] = []

    /// How to make genuine messages with other claims, where a test can.
    public var signing: Signing?

    /// Creates fixtures; set what else the vendor has.
    public init(genuine: [PushMessage]) {
        self.genuine = genuine
    }

    /// An announcement, and the message that takes it back.
    public struct Pair: Sendable {
        /// What announces the challenge.
        public let announcement: PushMessage

        /// What takes it back.
        public let withdrawal: PushMessage

        /// Creates a pair.
        public init(announcement: PushMessage, withdrawal: PushMessage) {
            self.announcement = announcement
            self.withdrawal = withdrawal
        }
    }

    /// How a test makes genuine messages with claims of its own.
    public struct Signing: Sendable {
        /// Signs claims as the vendor would, sensible or not.
        public typealias Sign = @Sendable (JSON) async throws(PushError) -> PushMessage

        /// Claims as the vendor signs them, one value for each kind of message.
        public let claims: [JSON]

        /// Signs claims as the vendor would, sensible or not.
        public let sign: Sign

        /// Creates a way to sign.
        public init(claims: [JSON], sign: @escaping Sign) {
            self.claims = claims
            self.sign = sign
        }
    }
}

extension Answer.Kept {
    /// What a test's vendor keeps of its answers.
    package init(_ form: Form, part: @autoclosure () -> Secret) {
        self =
            switch form {
            case .whole: .whole
            case .wholeOnceOpen: .wholeOnceOpen
            case .part: .part(part())
            case .nothing: .nothing
            }
    }
}

public import PushCore

/// What became of each record that was to be imported.
public struct ImportReport: Sendable {
    /// What a mechanism is for.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// Pushes.
        case push
        /// One-time codes by time.
        case totp
        /// One-time codes by a counter.
        case hotp
    }

    /// What became of a mechanism.
    @nonexhaustive
    public enum Result: Sendable {
        /// It is an enrollment now.
        case taken(Enrollment)
        /// It was taken before, and nothing has changed.
        case known(Enrollment.ID)
        /// It wasn't taken, and this is why: `malformed` if the record is damaged or contradicts
        /// another one, `unsupported` if it is of a type, an algorithm or a server that this plugin
        /// doesn't know, `invalidInvitation` if it leads to a host that isn't allowed,
        /// `insecureRequest` if it leads to a server without TLS, `alreadyEnrolled` if the account
        /// has another enrollment here, `conflict` if another mechanism has its identifier,
        /// `storage` if it couldn't be written.
        case left(PushError)
    }

    /// What isn't as it would be after a new enrollment.
    @nonexhaustive
    public enum Remark: Hashable, Sendable {
        /// The account was locked, for this policy, and so is the enrollment; empty if the record
        /// names none. See ``ForgeRock/importEnrollments(from:deviceToken:)``.
        case locked(String)
        /// The device doesn't meet this policy now, so the enrollment is blocked.
        case blocked(String)
        /// The account's policies can't be read, and count as none, as in the vendor's own apps.
        case unreadablePolicies
        /// AM's user name isn't known. AM takes no new device token until a push has told it.
        case noUserName
        /// The vendor's SDK has kept the server's URL without its query. If that named a realm, AM
        /// won't find the mechanism there.
        case endpointWithoutQuery
    }

    /// One mechanism; or a record of which nothing more is known than that it can't be read.
    public struct Entry: Sendable {
        /// The mechanism's identifier as it was kept, if it could be read.
        public let mechanism: String?

        /// What it is for, if it could be read.
        public let kind: Kind?

        /// The issuer, if it could be read. Safe to show.
        public let issuer: String?

        /// The account, if it could be read. Safe to show.
        public let account: String?

        /// What became of it.
        public let result: Result

        /// What isn't as it would be after a new enrollment.
        public let remarks: Set<Remark>

        init(
            _ description: VendorRecord.Description, _ result: Result, remarks: Set<Remark> = []
        ) {
            mechanism = description.mechanism
            kind = description.kind
            issuer = description.issuer.map { DisplayText.sanitized($0, .title) }
            account = description.account.map { DisplayText.sanitized($0, .title) }
            self.result = result
            self.remarks = remarks
        }
    }

    /// One for each mechanism, and one for each record that can't be read. An account that could be
    /// read has none.
    public let entries: [Entry]

    /// The enrollments that this import has made.
    public var taken: [Enrollment] {
        entries.compactMap {
            if case .taken(let enrollment) = $0.result { enrollment } else { nil }
        }
    }

    /// Whether every mechanism is an enrollment now, or was before: only then may the old store go.
    public var isComplete: Bool {
        entries.allSatisfy { if case .left = $0.result { false } else { true } }
    }
}

/// One vendor, as the registry sees it.
///
/// A provider proves, the core remembers. A provider judges neither expiry nor replay, keeps no
/// table of challenges, and reaches the world only through its ``PushEnvironment``.
public protocol PushProvider: Sendable {
    /// The name of this instance, such as `"acme"` or `"acme/bank-b"`.
    var id: ProviderID { get }

    /// The vendor's abilities that no method shows.
    var capabilities: Capabilities { get }

    /// The prompts that the vendor's challenges may have; `[]` if the plugin doesn't say. One entry
    /// per kind: `.enter` with the largest digit count, `.choose` with no options.
    ///
    /// They tell beforehand whether an account can keep to an ``ApprovalProfile``. What counts is
    /// each challenge's prompt.
    var prompts: [Challenge.Prompt] { get }

    /// The push services whose device tokens the vendor takes, most preferred first; `[]` if it
    /// sends no pushes. An enrollment gets the first of them for which the app has a token.
    var pushServices: [DeviceToken.Service] { get }

    /// Binds the device.
    var enroller: any Enroller { get }

    /// Opens and answers challenges.
    var resolver: any Resolver { get }

    /// One-time codes, if the vendor has them.
    var codes: (any CodeGenerator)? { get }

    /// What was answered before, if the vendor tells.
    var history: (any HistorySource)? { get }

    /// Messages that ask nothing, if the vendor keeps them.
    var inbox: (any Inbox)? { get }

    /// What of an enrollment a ``KeyGuard`` can seal; `nil` if nothing is.
    var guarded: Capabilities.GuardedPart? { get }

    /// Exports enrollments, and imports them from another device.
    var exporter: any EnrollmentExporter { get }

    /// A message as a candidate, if it has the form of this provider's messages. Read no key and no
    /// store here.
    func candidate(in message: PushMessage) -> PushMessage.Candidate?

    /// Merges two announcements of one challenge, if the vendor's differ, such as a push with
    /// another text or a newer address than the list's. Read no key and no store here. It may be
    /// called more than once.
    ///
    /// The core calls it while the challenge waits for the user or for the vendor's word, unless
    /// the later announcement ``Announcement/renewsContext``. After the user's decision it takes
    /// only the returned context: the notice stays as the user saw it.
    ///
    /// - Parameters:
    ///   - known: The announcement on record.
    ///   - other: The later one, equally verified.
    /// - Returns: The new announcement on record; `nil` changes nothing.
    /// - Throws: ``PushError`` with the code `untrusted` if both can't be of one challenge, such as
    ///   a yes or no that became a choice: the core refuses the later one. `malformed` if a context
    ///   can't be read.
    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement?
}

extension PushProvider {
    /// None.
    public var capabilities: Capabilities { [] }

    /// None: the plugin doesn't say.
    public var prompts: [Challenge.Prompt] { [] }

    /// None: the vendor sends no pushes.
    public var pushServices: [DeviceToken.Service] { [] }

    /// None.
    public var codes: (any CodeGenerator)? { nil }

    /// None.
    public var history: (any HistorySource)? { nil }

    /// None.
    public var inbox: (any Inbox)? { nil }

    /// Nothing.
    public var guarded: Capabilities.GuardedPart? { nil }

    /// Nothing is exportable.
    public var exporter: any EnrollmentExporter {
        NotExportable("The vendor's plugin lets nothing of it leave the device.")
    }

    /// The first announcement stays.
    ///
    /// - Throws: Nothing.
    public func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? { nil }
}

extension PushMessage {
    /// What a provider found in a message by its shape alone. Nothing is proved yet.
    ///
    /// It keeps what was read and verifies itself, so no message is parsed twice.
    public struct Candidate: Sendable {
        private let verify: @Sendable (Accounts) async throws(PushError) -> PushEvent

        /// Creates a candidate.
        ///
        /// - Parameters:
        ///   - found: What the provider read, as a value of its own.
        ///   - verify: Verifies that value with the provider's accounts, and throws what
        ///     ``verified(with:)`` may throw. What it learns of an account it notes
        ///     (``Account/note(_:)``).
        public init<Found: Sendable>(
            _ found: Found,
            verifiedBy verify:
                @escaping @Sendable (Found, Accounts) async throws(PushError) -> PushEvent
        ) {
            self.verify = { (accounts) async throws(PushError) -> PushEvent in
                try await verify(found, accounts)
            }
        }

        /// Verifies the candidate.
        ///
        /// - Parameter accounts: The provider's, for this message.
        /// - Returns: What the message says, proved; or a hint, which proves nothing.
        /// - Throws: ``PushError`` if the message can't be trusted: `untrusted`, `malformed`,
        ///   `unsupported`, `unknownEnrollment` if its enrollment isn't on this device, or
        ///   `storage` if the store can't tell. Nothing has been stored then.
        public func verified(with accounts: Accounts) async throws(PushError) -> PushEvent {
            try await verify(accounts)
        }
    }
}

/// A vendor's abilities that no method of its provider shows.
public struct Capabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The vendor lists the waiting challenges, so lost pushes are found.
    public static let pendingList = Capabilities(rawValue: 1 << 0)

    /// The vendor takes a reason with a denial.
    public static let denyReasons = Capabilities(rawValue: 1 << 1)

    /// The vendor has a call that changes the device token of an enrollment.
    public static let tokenUpdate = Capabilities(rawValue: 1 << 2)

    /// The vendor has a call that removes the device token of an enrollment.
    public static let tokenRemoval = Capabilities(rawValue: 1 << 3)

    /// The vendor has a call that ends an enrollment. Without it, removal is local.
    public static let serverRemoval = Capabilities(rawValue: 1 << 4)

    /// The vendor judges lateness itself, so an answer may be sent after the expiry.
    ///
    /// Without it, the core refuses to answer a challenge that is certainly expired by the server's
    /// clock.
    public static let lateAnswers = Capabilities(rawValue: 1 << 5)

    /// The core forgets a challenge's ``Announcement/context`` once the challenge is over, because
    /// the context grants access, or is of no further use.
    ///
    /// A withdrawal ends a challenge; so does the last word on its answer, even
    /// ``Outcome/unknown(_:)``, after which the answer is neither sent nor asked about again. While
    /// the core still tries, such as after a lost reply, the context stays.
    public static let singleUseContext = Capabilities(rawValue: 1 << 6)
}

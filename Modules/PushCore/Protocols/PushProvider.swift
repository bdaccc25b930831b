/// One vendor, as the registry sees it.
///
/// A provider proves, the core remembers: it judges neither expiry nor replay, keeps no table of
/// challenges, and reaches the world only through its ``PushEnvironment``.
public protocol PushProvider: Sendable {
    /// The name of this instance, such as `"acme"` or `"acme/bank-b"`.
    var id: ProviderID { get }

    /// What its vendor can do that no method shows.
    var capabilities: Capabilities { get }

    /// The kinds of prompts that its vendor's challenges may have, each once: of an entry with the most
    /// digits that it may ask for, and of a choice without the options. `[]` if the plugin doesn't say.
    ///
    /// It tells beforehand whether an account can keep to an ``ApprovalProfile``; what counts is the
    /// prompt of each challenge.
    var prompts: [Challenge.Prompt] { get }

    /// The push services whose device tokens the vendor takes, most preferred first; `[]` if the
    /// vendor sends no pushes. An enrollment gets the token of the first service for which the app
    /// has one.
    var pushServices: [PushService] { get }

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

    /// What of its enrollments may leave this device, and how they come to another one.
    var mover: any EnrollmentMover { get }

    /// The message as a candidate if it has the form of this provider's messages; `nil` for
    /// another's. It reads no key and no store.
    func candidate(in message: PushMessage) -> PushCandidate?

    /// What two announcements of one challenge say together, where the vendor's differ: such as a
    /// push with another text than the list's, or with a newer address. It reads no key and no store,
    /// and may be called more than once.
    ///
    /// The core calls it while the challenge waits for the user or for the vendor's word, unless the
    /// later announcement ``Announcement/renewsContext``. After the user's decision only the context
    /// is taken of what it returns: the notice stays as the user saw it.
    ///
    /// - Parameters:
    ///   - known: What is on record.
    ///   - other: What came later, just as verified.
    /// - Returns: What is on record from now on; `nil` leaves it as it is.
    /// - Throws: ``PushError`` with the code `untrusted` if both can't be of one challenge, such as a
    ///   yes or no that became a choice: the later one is refused. `malformed` if a context can't be
    ///   read.
    func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement?
}

extension PushProvider {
    /// Nothing beyond what the methods show.
    public var capabilities: Capabilities { [] }

    /// It doesn't say.
    public var prompts: [Challenge.Prompt] { [] }

    /// None: its vendor sends no pushes.
    public var pushServices: [PushService] { [] }

    /// None.
    public var codes: (any CodeGenerator)? { nil }

    /// None.
    public var history: (any HistorySource)? { nil }

    /// None.
    public var inbox: (any Inbox)? { nil }

    /// Nothing may leave.
    public var mover: any EnrollmentMover {
        DeviceBound("The vendor's plugin lets nothing of it leave the device.")
    }

    /// The first announcement stays.
    ///
    /// - Throws: Nothing.
    public func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? { nil }
}

/// What a provider found in a message by its shape alone: nothing of it is proved.
///
/// It keeps what was read, and verifies itself, so no message is parsed twice.
public struct PushCandidate: Sendable {
    private let verify: @Sendable () async throws(PushError) -> PushEvent

    /// Creates a candidate.
    ///
    /// - Parameters:
    ///   - found: What the provider read, as a value of its own.
    ///   - verify: Verifies that value. It throws what ``verified()`` may throw.
    public init<Found: Sendable>(
        _ found: Found,
        verifiedBy verify: @escaping @Sendable (Found) async throws(PushError) -> PushEvent
    ) {
        self.verify = { () async throws(PushError) -> PushEvent in try await verify(found) }
    }

    /// Verifies what was found.
    ///
    /// - Throws: ``PushError`` if it can't be trusted: `untrusted`, `malformed`,
    ///   `unknownEnrollment` if it is for none on this device, `unsupported`, or `storage` if the
    ///   store can't tell. Nothing has been stored then.
    public func verified() async throws(PushError) -> PushEvent {
        try await verify()
    }
}

/// What a vendor can do that no method of its provider shows.
public struct Capabilities: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The vendor lists what waits for an answer, so a lost push is found.
    public static let pendingList = Capabilities(rawValue: 1 << 0)

    /// The vendor takes reasons with a denial.
    public static let denyReasons = Capabilities(rawValue: 1 << 1)

    /// The vendor has a call that changes the device token of an enrollment.
    public static let tokenUpdate = Capabilities(rawValue: 1 << 2)

    /// The vendor has a call that removes the device token of an enrollment.
    public static let tokenRemoval = Capabilities(rawValue: 1 << 3)

    /// The vendor has a call that ends an enrollment; without it, removal is local.
    public static let serverRemoval = Capabilities(rawValue: 1 << 4)

    /// The vendor judges lateness itself: an answer after the expiry may be sent.
    ///
    /// Without it, the core refuses to answer what is certainly expired by the server's clock.
    public static let lateAnswers = Capabilities(rawValue: 1 << 5)

    /// The core forgets what opens a challenge (``Announcement/context``) once the challenge is
    /// over, because it grants access, or is of no further use.
    ///
    /// A challenge is over with a withdrawal, or with the last word on its answer, even if that is
    /// ``Outcome/unknown(_:)``: the answer is then neither sent nor asked about again. While the
    /// core still tries, such as after a lost reply, the context stays.
    public static let singleUseContext = Capabilities(rawValue: 1 << 6)
}

/// The name of one provider in a registry, such as `"acme"` or `"acme/bank-b"`.
///
/// It becomes part of the store's record names, so it must not change between releases of an app.
public struct ProviderID: RawRepresentable, Hashable, Sendable, Codable,
    ExpressibleByStringLiteral
{
    /// The name.
    public let rawValue: String

    /// Creates an identifier from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates an identifier from a literal.
    public init(stringLiteral value: String) {
        self.init(rawValue: value)
    }
}

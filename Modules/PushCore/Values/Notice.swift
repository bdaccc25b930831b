#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Announces one challenge: something waits for the user's answer.
///
/// It is *verified*, holds no secret, and is `Codable`, so an app can keep it in a notification's
/// `userInfo`. Of a notice that comes back from there, only the ``id`` counts.
public struct Notice: Hashable, Sendable, Identifiable {
    /// How urgent the vendor says it is.
    public enum Priority: String, Hashable, Sendable {
        /// The vendor doesn't say.
        case unspecified
        /// It can wait.
        case low
        /// As usual.
        case normal
        /// Show it at once.
        case high
    }

    /// The challenge it announces.
    public let id: Challenge.ID

    /// A title to show, made safe.
    public let title: String?

    /// A text to show, made safe.
    public let body: String?

    /// How urgent the vendor says it is.
    public let priority: Priority

    /// Whether the vendor lets the app drop it silently.
    public let isIgnorable: Bool

    /// When the vendor made it, by the vendor's clock.
    public let issued: Date?

    /// When the vendor begins to reject all answers, by the vendor's clock.
    public let expiry: Date?

    /// What makes it genuine.
    public let proof: Notice.Proof

    /// Creates a notice; its texts are made safe to show.
    public init(
        id: Challenge.ID, title: String? = nil, body: String? = nil,
        priority: Priority = .unspecified, isIgnorable: Bool = false, issued: Date? = nil,
        expiry: Date? = nil, proof: Notice.Proof
    ) {
        self.id = id
        self.title = DisplayText.sanitized(title, .title)
        self.body = DisplayText.sanitized(body, .body)
        self.priority = priority
        self.isIgnorable = isIgnorable
        self.issued = issued
        self.expiry = expiry
        self.proof = proof
    }
}

extension Notice: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            id: try members.required("id", Challenge.ID.init(json:)),
            title: try members.optional("title") { $0.string },
            body: try members.optional("body") { $0.string },
            priority: try members.required("priority") {
                $0.string.flatMap(Priority.init(rawValue:))
            },
            isIgnorable: try members.required("ignorable") { $0.bool },
            issued: try members.optional("issued") { $0.date },
            expiry: try members.optional("expiry") { $0.date },
            proof: try members.required("proof") { $0.string.flatMap(Notice.Proof.init(rawValue:)) }
        )
    }

    var json: JSON {
        [
            "id": id.json, "title": JSON(title), "body": JSON(body),
            "priority": .string(priority.rawValue), "ignorable": .bool(isIgnorable),
            "issued": issued.map { JSON($0) } ?? .null, "expiry": expiry.map { JSON($0) } ?? .null,
            "proof": .string(proof.rawValue),
        ]
    }
}

extension Notice: Codable {
    /// Reads a notice that an app kept.
    ///
    /// - Throws: `DecodingError` if the decoder holds anything but JSON, ``PushError`` with the
    ///   code `malformed` if it isn't a notice.
    public init(from decoder: any Decoder) throws {
        try self.init(json: JSON(from: decoder))
    }

    /// Writes a notice for an app to keep.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }
}

/// A notice, with the provider's data to open and answer it in a later process.
///
/// It lives in the ledger; apps see only the ``notice``.
public struct Announcement: Sendable {
    /// The part for apps.
    public let notice: Notice

    /// The provider's own data, opaque to everyone else and never printed; a ``Secret/Record`` is a
    /// good layout. Empty if the provider needs none.
    public private(set) var context: Secret

    /// Whether its context replaces the one on record while the challenge is open, because an
    /// answer needs it now, such as a scanned code. Any other second announcement changes only what
    /// ``PushProvider/merged(_:_:)`` returns.
    public let renewsContext: Bool

    private var known = ReadOnce()

    /// The context that ``renew(_:)`` gave it.
    private(set) var renewed: Secret?

    /// Creates an announcement.
    public init(
        _ notice: Notice, context: Secret = Secret([]), renewsContext: Bool = false
    ) {
        self.notice = notice
        self.context = context
        self.renewsContext = renewsContext
    }

    /// Gives it another context, such as for the next try. The ledger keeps it with what became of
    /// the exchange, unless that throws.
    public mutating func renew(_ context: Secret) {
        self.context = context
        known = ReadOnce()
        renewed = context
    }

    /// The context as its provider reads it: read once for this announcement and its copies.
    /// Another type is read anew.
    ///
    /// - Throws: ``PushError``, what `read` throws.
    public func context<Value: Sendable>(
        _ read: (Secret) throws(PushError) -> Value
    ) throws(PushError) -> Value {
        try known.value { () throws(PushError) in try read(context) }
    }
}

extension Notice {
    /// What makes a notice genuine.
    @nonexhaustive
    public enum Proof: String, Hashable, Sendable {
        /// The vendor told it over the enrolled channel.
        case fetched
        /// A message authentication code under the enrollment's own key.
        case mac
        /// A signature by the issuer's key.
        case signature
    }
}

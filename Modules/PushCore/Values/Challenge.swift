#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A question from the vendor that the user must answer before ``expiry``.
///
/// It's *verified*: made only from what its vendor signed or sent over the enrolled channel. It
/// lives in memory only.
public struct Challenge: Sendable, Identifiable {
    /// The enrollment it belongs to, and the vendor's proved identifier in it.
    public let id: ID

    /// What the user is asked to do.
    public let prompt: Prompt

    /// What the vendor wants shown, in order.
    public let fields: [Field]

    /// Where the request came from, as far as the vendor says.
    public let origin: Origin

    /// How the user must be verified before a yes: alternatives, each a set of factors needed
    /// together; empty for none.
    public let verification: [[Factor]]

    /// The moment after which the vendor rejects any answer, by the vendor's clock.
    public let expiry: Date?

    /// What its provider needs to carry the answer back; opaque to everyone else, never printed.
    public let context: Secret

    private let rawDetails: (any Sendable)?

    /// Creates a challenge.
    ///
    /// - Parameters:
    ///   - notice: What announced it.
    ///   - prompt: What the user is asked to do. Options that can't be shown as they are, or an entry
    ///     of no digits, make it one that can only be denied.
    ///   - content: What is shown with it.
    ///   - verification: How the user must be verified before a yes.
    ///   - context: What its provider needs to carry the answer back.
    public init(
        for notice: Notice, prompt: Prompt, content: Content = Content(),
        verification: [[Factor]] = [], context: Secret
    ) {
        id = notice.id
        self.prompt = prompt.answerable
        fields = content.fields
        origin = content.origin
        self.verification = verification
        expiry = notice.expiry
        self.context = context
        rawDetails = content.details
    }

    /// The plugin's own view of the challenge, if it has one of this type.
    public func details<Details: Sendable>(as type: Details.Type) -> Details? {
        rawDetails as? Details
    }

    /// The enrollment a challenge belongs to, and the vendor's proved identifier in it.
    public struct ID: Hashable, Sendable, Codable {
        /// The enrollment.
        public let enrollment: Enrollment.ID

        /// The identifier, from what the vendor signed or sent over the enrolled channel.
        public let name: String

        /// Creates an identifier.
        public init(_ name: String, of enrollment: Enrollment.ID) {
            self.name = name
            self.enrollment = enrollment
        }

        /// Whether two identifiers have the same bytes.
        public static func == (one: ID, other: ID) -> Bool {
            one.enrollment == other.enrollment && one.name.hasSameBytes(as: other.name)
        }

        /// Feeds the bytes of the identifier.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(enrollment)
            name.hashBytes(into: &hasher)
        }
    }

    /// What is shown with a challenge, and the plugin's own view of it.
    public struct Content: Sendable {
        /// What the vendor wants shown, in order.
        public var fields: [Field]

        /// Where the request came from.
        public var origin: Origin

        /// A public type of the plugin, for ``Challenge/details(as:)``.
        public var details: (any Sendable)?

        /// Creates content.
        public init(
            fields: [Field] = [], origin: Origin = Origin(), details: (any Sendable)? = nil
        ) {
            self.fields = fields
            self.origin = origin
            self.details = details
        }
    }
}

extension Challenge.ID: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            try members.required("challenge") { $0.string },
            of: try members.required("enrollment") { (json) throws(PushError) in
                try Enrollment.ID(json: json)
            })
    }

    var json: JSON { ["enrollment": enrollment.json, "challenge": .string(name)] }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A vendor's question that the user must answer before ``expiry``.
///
/// It is *verified*: made only from what its vendor signed or sent over the enrolled channel. It
/// lives in memory only.
public struct Challenge: Sendable, Identifiable {
    /// The enrollment it belongs to, and the vendor's proved identifier in it.
    public let id: ID

    /// What the user is asked to do.
    public internal(set) var prompt: Prompt

    /// What the vendor wants shown beside the origin, in order. Screens use ``shown``, which
    /// includes it.
    public let fields: [Field]

    /// Where the request came from, as far as the vendor says.
    public let origin: Origin

    /// How the user must be verified before a yes: alternatives, each a set of factors needed
    /// together; empty for none.
    public let verification: [[Factor]]

    /// When the vendor begins to reject all answers, by the vendor's clock.
    public let expiry: Date?

    /// The provider's own data for the answer, opaque to everyone else and never printed. What
    /// must outlive the process stands in ``Announcement/context``.
    public let context: Secret

    private let rawDetails: (any Sendable)?

    /// The title and the text of what announced it.
    private let words: [String]

    /// Creates a challenge.
    ///
    /// - Parameters:
    ///   - notice: The notice that announced it.
    ///   - prompt: What the user is asked to do. If an option can't be shown as it is, or an entry
    ///     has no digits, the challenge can only be denied.
    ///   - content: What is shown with it.
    ///   - verification: How the user must be verified before a yes.
    ///   - context: The provider's own data for the answer; empty if it needs none.
    public init(
        for notice: Notice, prompt: Prompt, content: Content = Content(),
        verification: [[Factor]] = [], context: Secret = Secret([])
    ) {
        id = notice.id
        self.prompt = prompt.answerable
        fields = content.fields
        origin = content.origin
        self.verification = verification
        expiry = notice.expiry
        self.context = context
        rawDetails = content.details
        words = [notice.title, notice.body].compactMap(\.self).filter { !$0.isEmpty }
    }

    /// The same with another prompt.
    init(_ other: Challenge, prompt: Prompt) {
        self = other
        self.prompt = prompt
    }

    /// Everything that must be on the screen before a yes, in order: the notice's title and text,
    /// each without a label, then ``fields``, then ``origin``.
    ///
    /// A title or text that a field repeats appears once, in the field. Every text is safe to show.
    public var shown: [Field] {
        let all = fields + origin.fields
        let first = words.filter { text in
            !all.contains { $0.value.hasSameBytes(as: text) || $0.label.hasSameBytes(as: text) }
        }
        return first.map { Field("", $0) } + all
    }

    /// The plugin's own view of the challenge, if there is one of this type.
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
        @inline(never) public static func == (one: ID, other: ID) -> Bool {
            one.enrollment == other.enrollment && one.name.hasSameBytes(as: other.name)
        }

        /// Feeds the bytes of the identifier.
        @inline(never) public func hash(into hasher: inout Hasher) {
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

    /// One thing the vendor wants shown.
    public struct Field: Hashable, Sendable, CustomStringConvertible {
        /// The label, such as `Amount`; empty for a line of text. Safe to show.
        public let label: String

        /// The value. Safe to show.
        public let value: String

        /// Creates a field; its texts are made safe to show.
        public init(_ label: String, _ value: String) {
            self.label = DisplayText.sanitized(label, .label)
            self.value = DisplayText.sanitized(value, .body)
        }

        /// Label and value, such as `Amount: 5 EUR`; either alone if the other is empty.
        public var description: String {
            label.isEmpty || value.isEmpty ? label + value : "\(label): \(value)"
        }
    }

    /// Where a request came from, as far as the vendor says. Every text is safe to show.
    public struct Origin: Hashable, Sendable {
        /// The IP address that the request for access came from.
        public let address: String?

        /// The place, as coordinates in degrees (WGS 84).
        public let place: Place?

        /// The user agent that asks for access.
        public let agent: String?

        /// The application that is accessed.
        public let application: String?

        /// Creates an origin; its texts are made safe to show.
        public init(
            address: String? = nil, place: Place? = nil, agent: String? = nil,
            application: String? = nil
        ) {
            self.address = DisplayText.sanitized(address, .label)
            self.place = place
            self.agent = DisplayText.sanitized(agent, .title)
            self.application = DisplayText.sanitized(application, .title)
        }

        /// What it says, as fields.
        fileprivate var fields: [Field] {
            let place = place.map { "\($0.latitude), \($0.longitude)" }
            return [
                ("Application", application), ("IP address", address), ("User agent", agent),
                ("Place", place),
            ].compactMap { label, value in value.map { Field(label, $0) } }
        }
    }

    /// Coordinates in degrees (WGS 84).
    public struct Place: Hashable, Sendable {
        /// Degrees north, -90 to 90.
        public let latitude: Double

        /// Degrees east, -180 to 180.
        public let longitude: Double

        /// Creates coordinates; `nil` if they are out of range.
        public init?(latitude: Double, longitude: Double) {
            guard abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
            self.latitude = latitude
            self.longitude = longitude
        }
    }
}

extension Challenge.ID: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            try members.required("challenge") { $0.string },
            of: try members.required("enrollment", Enrollment.ID.init(json:)))
    }

    var json: JSON { ["enrollment": enrollment.json, "challenge": .string(name)] }
}

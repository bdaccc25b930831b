extension Challenge {
    /// What the user is asked to do.
    @nonexhaustive
    public enum Prompt: Hashable, Sendable {
        /// Approve or deny.
        case approve
        /// Choose the option that the other screen shows, or deny.
        case choose([String])
        /// Enter the digits that the other screen shows, or deny.
        case enter(digits: Int)
        /// Deny: what is asked isn't understood well enough to approve. The text says why, for
        /// developers.
        case denyOnly(String)

        /// The prompt; one that can only be denied if an option can't be shown to the user as it
        /// is, or if nothing is to be entered.
        var answerable: Prompt {
            switch self {
            case .choose(let options) where !Self.areShowable(options):
                .denyOnly("Its options can't be shown.")
            case .enter(let digits) where digits < 1:
                .denyOnly("It asks for an entry of no digits.")
            default: self
            }
        }

        private static func areShowable(_ options: [String]) -> Bool {
            // Plain first: only what is short is quickly told from its equivalents.
            !options.isEmpty
                && options.allSatisfy { !$0.isEmpty && DisplayText.isPlainOption($0) }
                && Set(options).count == options.count
        }

        /// Refuses a resolution that isn't an answer to this prompt.
        func check(_ resolution: Resolution) throws(PushError) {
            switch (self, resolution) {
            case (_, .deny), (.approve, .approve): return
            case (.choose(let options), .choose(let option)) where options.contains(option): return
            case (.enter(let digits), .enter(let text))
            where text.utf8.count == digits && text.utf8.allSatisfy { 0x30...0x39 ~= $0 }:
                return
            case (.denyOnly(let why), _):
                throw PushError(.unsupported, "It can only be denied: \(why)")
            case (.choose, .choose):
                throw PushError(.invalidResolution, "The choice is none of the options.")
            case (.enter(let digits), .enter):
                throw PushError(.invalidResolution, "The entry is not of \(digits) digits.")
            default:
                throw PushError(.invalidResolution, "The prompt asks for another kind of answer.")
            }
        }
    }

    /// What the vendor says about a challenge when asked.
    @nonexhaustive
    public enum Status: Sendable, Equatable {
        /// No answer arrived: what was prepared may be sent.
        case open
        /// It's over, with this outcome for what this device sent; and what replaces the context in the
        /// ledger, as in a ``Reply``.
        case over(Outcome, context: Secret? = nil)
        /// The vendor can't say.
        case unsaid

        /// Compares what was said. A context is secret, and isn't compared.
        public static func == (one: Status, other: Status) -> Bool {
            switch (one, other) {
            case (.open, .open), (.unsaid, .unsaid): true
            case (.over(let one, _), .over(let other, _)): one == other
            default: false
            }
        }
    }

    /// One thing the vendor wants shown.
    public struct Field: Hashable, Sendable {
        /// What it is, such as `Amount`. Safe to show.
        public let label: String

        /// The value. Safe to show.
        public let value: String

        /// Creates a field; its texts are made safe to show.
        public init(_ label: String, _ value: String) {
            self.label = DisplayText.sanitized(label, .label)
            self.value = DisplayText.sanitized(value, .body)
        }
    }

    /// Where a request came from, as far as the vendor says. Every text is safe to show.
    public struct Origin: Hashable, Sendable {
        /// The IP address of whoever asks for access.
        public let address: String?

        /// The place, as coordinates in degrees (WGS 84).
        public let place: Place?

        /// The user agent of whoever asks for access.
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

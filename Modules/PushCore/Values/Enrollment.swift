#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The public record of a device that is bound to an account at a vendor.
public struct Enrollment: Hashable, Sendable, Identifiable {
    /// The enrollment's provider, and the provider's name for it.
    public let id: ID

    /// Who enrolled the device, such as a bank. Safe to show.
    public var issuer: String?

    /// The account. Safe to show.
    public var account: String?

    /// The vendor's host, whose clock the enrollment's challenges follow.
    public var host: String?

    /// The port of that host.
    public var port: Int

    /// Whether it can be used.
    public var state: State

    /// When it was made, by the device's clock.
    public let created: Date

    /// The device token that the vendor has acknowledged; `nil` if none.
    public var deviceToken: DeviceToken?

    /// Whether another token was told since, and nobody knows whether it arrived.
    var isTokenDoubtful = false

    /// Creates a record; its texts are made safe to show.
    public init(
        id: ID, issuer: String? = nil, account: String? = nil, host: String? = nil,
        port: Int = 443, state: State, created: Date
    ) {
        self.id = id
        self.issuer = DisplayText.sanitized(issuer, .title)
        self.account = DisplayText.sanitized(account, .title)
        self.host = host
        self.port = port
        self.state = state
        self.created = created
    }

    /// The enrollment's provider, and the provider's name for it.
    public struct ID: Hashable, Sendable, Codable {
        /// The provider.
        public let provider: ProviderID

        /// The provider's name for it, chosen so that a push leads to it without a search.
        public let name: String

        /// Creates an identifier.
        public init(_ name: String, of provider: ProviderID) {
            self.name = name
            self.provider = provider
        }

        /// Whether two identifiers have the same bytes.
        public static func == (one: ID, other: ID) -> Bool {
            one.provider == other.provider && one.name.hasSameBytes(as: other.name)
        }

        /// Feeds the bytes of the identifier.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(provider)
            name.hashBytes(into: &hasher)
        }
    }

    /// Whether an enrollment can be used.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// Half an enrollment: what is missing.
        case pending(Pending)
        /// It can be used.
        case active
        /// It can't be used; the text names why, such as a device policy.
        case blocked(String)
        /// The vendor no longer knows it: enroll again.
        case needsReenrollment
    }

    /// What is missing of half an enrollment.
    @nonexhaustive
    public enum Pending: Hashable, Sendable {
        /// The request was sent and its reply lost: the first message that its key verifies
        /// confirms it.
        case unconfirmed
        /// The user compares this code with the vendor's screen, and the vendor commits.
        case comparison(code: String)
        /// The vendor completes it with the first device token.
        case deviceToken
    }
}

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

    /// Whether the enrollment can be used.
    public var state: State

    /// When it was made, by the device's clock.
    public let created: Date

    /// The device token that the vendor has acknowledged, if any.
    public var deviceToken: DeviceToken?

    /// Whether its vendor may be told a device token. If not, as with an enrollment that only
    /// polls, its ``DeviceToken/State`` is `current` without a token.
    public var takesDeviceToken = true

    /// What opens the guard of its answers; `nil` if it has none. The core sets it
    /// (``PushAuthenticator/setGuard(_:of:)``).
    public internal(set) var guardPolicy: GuardPolicy?

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

        /// The provider's name for the enrollment, by which a push finds it without a search.
        public let name: String

        /// Creates an identifier.
        public init(_ name: String, of provider: ProviderID) {
            self.name = name
            self.provider = provider
        }

        /// Whether two identifiers have the same bytes.
        @inline(never) public static func == (one: ID, other: ID) -> Bool {
            one.provider == other.provider && one.name.hasSameBytes(as: other.name)
        }

        /// Feeds the bytes of the identifier.
        @inline(never) public func hash(into hasher: inout Hasher) {
            hasher.combine(provider)
            name.hashBytes(into: &hasher)
        }
    }

    /// Whether an enrollment can be used.
    @nonexhaustive
    public enum State: Hashable, Sendable {
        /// It is incomplete; the value tells what is missing.
        case pending(Pending)
        /// It can be used.
        case active
        /// It can't be used; the text tells why, such as a device policy.
        case blocked(String)
        /// The vendor no longer knows it: enroll again. Its provider sets this.
        case needsReenrollment
        /// It was moved to another device (``PushAuthenticator/export(_:)``). Until it is imported
        /// here again, this device answers nothing for it and shows no code.
        case movedAway
    }

    /// What an incomplete enrollment lacks.
    @nonexhaustive
    public enum Pending: Hashable, Sendable {
        /// The vendor's reply, which was lost. The first message that the enrollment's key verifies
        /// confirms it.
        case unconfirmed
        /// The vendor's confirmation, after the user has compared this code with the vendor's
        /// screen.
        case comparison(code: String)
        /// The first device token, with which the vendor completes it.
        case deviceToken
    }
}

extension Enrollment.ID: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            try members.required("name") { $0.string },
            of: ProviderID(rawValue: try members.required("provider") { $0.string }))
    }

    var json: JSON { ["provider": .string(provider.rawValue), "name": .string(name)] }
}

extension Enrollment.State: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        switch try members.required("is", { $0.string }) {
        case "active": self = .active
        case "blocked": self = .blocked(try members.required("why") { $0.string })
        case "needsReenrollment": self = .needsReenrollment
        case "movedAway": self = .movedAway
        case "unconfirmed": self = .pending(.unconfirmed)
        case "comparison":
            self = .pending(.comparison(code: try members.required("code") { $0.string }))
        case "deviceToken": self = .pending(.deviceToken)
        default: throw PushError(.malformed, "An enrollment is in an unknown state.")
        }
    }

    var json: JSON {
        switch self {
        case .active: ["is": "active"]
        case .blocked(let why): ["is": "blocked", "why": .string(why)]
        case .needsReenrollment: ["is": "needsReenrollment"]
        case .movedAway: ["is": "movedAway"]
        case .pending(.unconfirmed): ["is": "unconfirmed"]
        case .pending(.comparison(let code)): ["is": "comparison", "code": .string(code)]
        case .pending(.deviceToken): ["is": "deviceToken"]
        }
    }
}

extension Enrollment: JSONConvertible {
    init(json: JSON) throws(PushError) {
        let members = try json.members()
        self.init(
            id: try members.required("id", ID.init(json:)),
            issuer: try members.optional("issuer") { $0.string },
            account: try members.optional("account") { $0.string },
            host: try members.optional("host") { $0.string },
            port: try members.optional("port") { $0.integer.flatMap { Int(exactly: $0) } } ?? 443,
            state: try members.required("state", State.init(json:)),
            created: try members.required("created") { $0.date })
        takesDeviceToken = try members.optional("takesDeviceToken") { $0.bool } ?? true
        isTokenDoubtful = try members.optional("tokenDoubtful") { $0.bool } ?? false
        guardPolicy = try members.optional("guard") { json in
            json.string.flatMap(GuardPolicy.init)
        }
        deviceToken = try members.optional("deviceToken", DeviceToken.init(json:))
    }

    var json: JSON { .object(members) }

    /// The members of its JSON.
    var members: JSON.Object {
        [
            "id": id.json, "issuer": JSON(issuer), "account": JSON(account), "host": JSON(host),
            "port": .integer(port), "state": state.json, "created": JSON(created),
            "deviceToken": deviceToken?.json ?? .null,
            "tokenDoubtful": isTokenDoubtful ? true : .null,
            "takesDeviceToken": takesDeviceToken ? .null : false,
            "guard": JSON(guardPolicy?.rawValue),
        ]
    }
}

/// An enrollment's one record: its public half, and the secret half that only its provider reads.
///
/// Both halves are written together, by compare-and-set.
public struct Credential: Sendable {
    /// The public half.
    public var enrollment: Enrollment

    /// The provider's half: keys, counters, tokens, pins. Opaque to the core; a ``Secret/Record``
    /// is a good layout.
    public var secret: Secret

    /// What of this provider's only this enrollment may have (``Accounts/create(_:_:claiming:)``).
    var claims: [String] = []

    /// Creates a record.
    public init(_ enrollment: Enrollment, secret: Secret) {
        self.enrollment = enrollment
        self.secret = secret
    }
}

public import PushCore

extension PlusAuthSimulator.Configuration {
    /// Which login page waits for the push.
    @nonexhaustive
    public enum Flow: Hashable, Sendable {
        /// The second factor, `/signin/challenge/push`.
        case multiFactor
        /// The first and perhaps only factor, `/signin/passwordless/push`.
        case passwordless
    }

    /// What `settings.bind_sim` says.
    @nonexhaustive
    public enum SimBinding: Hashable, Sendable, CaseIterable {
        /// `true`: the account is bound to the SIM card.
        case bound
        /// `false`: it isn't.
        case unbound
        /// `null`.
        case null
        /// `settings` doesn't have it.
        case absent
        /// There is no `settings`.
        case noSettings
    }

    /// What happens if a user enrolls a device whose identifier the user already has.
    @nonexhaustive
    public enum Reenrollment: Hashable, Sendable {
        /// It gets 409, until the old credential is removed.
        case refused
        /// The new credential takes the place of the old one.
        case replaces
        /// The user has both.
        case adds
    }

    /// A path that answers go to.
    @nonexhaustive
    public enum ResolvePath: String, Hashable, Sendable, CaseIterable {
        /// As in the documented diagram and claim.
        case resolve
        /// As in the documented request.
        case resolveChallenge = "resolve-challenge"
    }

    /// The body of an error.
    @nonexhaustive
    public enum ErrorBody: Hashable, Sendable, CaseIterable {
        /// JSON whose `status` is a string, as documented.
        case statusAsText
        /// JSON whose `status` is a number, as the vendor's client library has it.
        case statusAsNumber
        /// A sentence, as a proxy in front of the server would write.
        case plainText
    }

    /// How an answer is refused that comes when there is nothing more to answer.
    @nonexhaustive
    public enum Refusal: Int, Hashable, Sendable, CaseIterable {
        /// 401 `unauthorized_user`.
        case unauthorized = 401
        /// 404 `entity_not_found`.
        case notFound = 404
        /// 409 `already_exists`.
        case conflict = 409
    }

    /// How each kind of late answer is refused; which statuses are real is UNCONFIRMED.
    public struct LateAnswers: Hashable, Sendable {
        /// To a context token that has already brought an answer.
        public var used = Refusal.unauthorized

        /// To a login that another device, or a one-time code, has ended.
        public var elsewhere = Refusal.conflict

        /// After the challenge's end.
        public var expired = Refusal.unauthorized

        /// Creates the choices that the documented errors suggest.
        public init() {}
    }

    /// How many requests are taken before 429.
    public struct RateLimit: Hashable, Sendable {
        /// In any second; the vendor's plans have 10 to 50.
        public var perSecond: Int

        /// In any minute; the vendor's plans have 120 to 1,200.
        public var perMinute: Int

        /// Creates a limit.
        public init(perSecond: Int, perMinute: Int) {
            self.perSecond = perSecond
            self.perMinute = perMinute
        }
    }

    /// What one-time codes are made with, and how invitations say so.
    public struct CodeParameters: Hashable, Sendable {
        /// The hash.
        @nonexhaustive
        public enum Algorithm: String, Hashable, Sendable, CaseIterable {
            /// HMAC with SHA-1.
            case sha1 = "SHA1"
            /// HMAC with SHA-256, the vendor's choice.
            case sha256 = "SHA256"
            /// HMAC with SHA-512.
            case sha512 = "SHA512"
        }

        /// The hash.
        public var algorithm = Algorithm.sha256

        /// How many digits a code has, 6 to 8.
        public var digits = 6

        /// How long a code lasts, in whole seconds.
        public var period = 30

        /// Whether invitations don't name algorithm, digits and period.
        public var isUnsaid = false

        /// Creates the documented parameters.
        public init() {}
    }

    /// The members of the documented sample, for a browser in Istanbul.
    public static var sampleInfo: JSON {
        let agent: JSON = [
            "ua": "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0",
            "browser": ["name": "Firefox", "version": "120.0", "major": "120"],
            "cpu": ["architecture": "amd64"],
            "device": ["type": nil, "vendor": nil, "model": nil],
            "engine": ["name": "Gecko", "version": "120.0"],
            "os": ["name": "Linux", "version": "x86_64"],
        ]
        let location: JSON = [
            "city": "Istanbul", "country": "TUR", "postal_code": "34000",
            "coordinates": [
                "accuracy_radius": 1, "latitude": coordinate(41.091384),
                "longitude": coordinate(29.062315), "time_zone": "Europe/Istanbul",
            ],
        ]
        return [
            "application": "", "ip": "203.0.113.7", "user_identifier": "", "agent": agent,
            "location": location,
        ]
    }

    private static func coordinate(_ degrees: Double) -> JSON {
        JSON.Number(degrees).map(JSON.number) ?? nil
    }
}

extension PlusAuthSimulator.Configuration.Flow {
    var path: String {
        switch self {
        case .multiFactor: "/signin/challenge/push"
        case .passwordless: "/signin/passwordless/push"
        }
    }
}

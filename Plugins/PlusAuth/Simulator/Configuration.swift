public import PushCore
import PushJOSE

extension PlusAuthSimulator {
    /// How the tenant is set up, and which way it takes where the documentation leaves a choice.
    public struct Configuration: Sendable {
        // MARK: Tenant

        /// The application's name: the issuer of invitations and `info.application` of pushes.
        public var application: String

        /// Which page logins use. The device can't tell them apart.
        public var flow = Flow.multiFactor

        /// What the one-time codes of new invitations are made with.
        public var codes = CodeParameters()

        /// How long a challenge lasts, in whole seconds; the documented sample has two hours.
        public var challengeLifetime: Duration = .seconds(7200)

        /// How long an invitation, and the page that shows it, last. UNCONFIRMED.
        public var enrollmentLifetime: Duration = .seconds(600)

        /// How long the page waits before it offers to send the push again. UNCONFIRMED in size.
        public var resendAfter: Duration = .seconds(30)

        /// What the page's context lists as `challenges`. What a real page lists is UNCONFIRMED.
        public var challenges = ["push"]

        /// What pushes say about the user's SIM card.
        public var simBinding = SIMBinding.absent

        /// What pushes tell for display, the claim `info`.
        ///
        /// `application` and `user_identifier` are put in where the object has them; `nil` leaves the
        /// claim out.
        public var info: JSON? = Configuration.sampleInfo

        // MARK: Enrollment

        /// Whether a key that isn't RSA gets 422. RSA is the only documented shape.
        public var requiresRSA = false

        /// The shortest RSA key that is taken, in bits, 1,024 or more.
        ///
        /// Only simulations that need many keys in little time lower it.
        public var minimumRSABits = RSAKeySize.smallest

        /// Whether the two keys that a device sends may be halves of different pairs.
        ///
        /// Nobody knows whether the real server takes that. UNCONFIRMED.
        public var acceptsSplitKey = false

        /// Which words `credentials.service` may be; `nil` takes any. UNCONFIRMED.
        public var acceptedServices: Set<String>?

        /// What happens if a user's device enrolls again.
        public var reenrollment = Reenrollment.refused

        /// Whether a one-time code counts before its device has enrolled. UNCONFIRMED.
        public var acceptsCodesBeforeEnrollment = false

        // MARK: Pushes

        /// Whether the header of a push names no key. Whether a real one does is UNCONFIRMED.
        public var omitsKid = false

        /// Whether pushes don't say where the answer goes.
        public var omitsResolveURL = false

        /// Whether each optional value of a push is kept, null, empty or missing, by chance.
        public var nestsNulls = false

        /// Whether APNs payloads hold the context in an object `data`. Its place is UNCONFIRMED.
        public var nestsContext = false

        /// Whether the pushes of one login share one context token. UNCONFIRMED.
        public var sharesContextToken = false

        /// Whether sending a push again sends the same bytes instead of a new token. UNCONFIRMED.
        public var resendsSameToken = false

        // MARK: Answers

        /// Whether there is a path `resolve`.
        public var servesResolve = true

        /// Whether there is a path `resolve-challenge`.
        public var servesResolveChallenge = true

        /// Which of the two the claim `resolve_url` names. The documentation names both.
        public var resolvePath = ResolvePath.resolve

        /// Whether an answer must have `iat`, `exp` and a `jti` that wasn't seen before.
        ///
        /// None of them is documented. Where an answer has them, times are checked in any case.
        public var requiresFreshAnswer = false

        /// How answers that come too late are refused.
        public var lateAnswers = LateAnswers()

        // MARK: Replies

        /// What the body of an error looks like.
        public var errorBody = ErrorBody.statusAsText

        /// How many requests are taken; `nil` for any number.
        public var rateLimit: RateLimit?

        // MARK: Surroundings

        /// The server's clock.
        public var clock: any PushClock

        /// Where tokens, secrets, identifiers and values come from.
        ///
        /// What it gives decides all but ES256 signatures, which are randomized by the library.
        public var random: any RandomSource

        /// Creates a configuration.
        public init(
            application: String = "Acme Bank", clock: any PushClock = SystemClock(),
            random: any RandomSource = SystemRandom()
        ) {
            self.application = application
            self.clock = clock
            self.random = random
        }
    }
}

extension PlusAuthSimulator.Configuration {
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

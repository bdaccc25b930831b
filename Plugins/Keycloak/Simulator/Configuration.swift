public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension KeycloakSimulator {
    /// How the realm and its extension are set up.
    public struct Configuration: Sendable {
        // MARK: Realm

        /// The realm's name.
        public var realm = "demo"

        /// What stands before `/realms` in its address, such as `/auth`.
        public var contextPath = ""

        /// The realm's default signature algorithm, with which it signs from now on.
        public var algorithm: Algorithm

        /// The `max-age` of the realm's keys, in seconds; `nil` for `no-cache`. That the server
        /// says thirty days is UNCONFIRMED.
        public var keysMaxAge: Int? = 2_592_000

        /// The OAuth client of the app.
        public var clientID = "push-device-client"

        /// The client's secret.
        public var clientSecret = Secret("device-client-secret".utf8)

        /// How long an access token lives. That it's five minutes by default is UNCONFIRMED.
        public var accessTokenLifetime: Duration = .seconds(300)

        /// Whether replies have a `Date`. Whether the server's have is UNCONFIRMED.
        public var sendsDate = false

        // MARK: Enrollment

        /// What codes begin with (`enrollmentAppUniversalLink`); empty for the bare token or
        /// address.
        public var enrollmentLink = "my-secure://enroll"

        /// Whether codes have the token's address in its place (`enrollmentUseRequestUri`).
        public var usesRequestURI = false

        /// How long a code can be used (`enrollmentChallengeTtlSeconds`).
        public var enrollmentLifetime: Duration = .seconds(240)

        /// Whether enrolling takes an access token and a proof (`dpop-require-for-enrollment`).
        public var requiresProofToEnroll = true

        // MARK: Proofs

        /// Whether a proof must name its access token (`dpop-require-ath`).
        public var requiresTokenHash = true

        /// How far a proof's time may be from the server's (`dpop-iat-tolerance-seconds`).
        public var proofTolerance: Duration = .seconds(120)

        // MARK: Logins

        /// How long an answer may take (`loginChallengeTtlSeconds`).
        public var loginLifetime: Duration = .seconds(240)

        /// How many challenges of a user may be open (`maxPendingChallenges`). One more replaces
        /// the oldest, as one from the same browser session does.
        public var maxPendingChallenges = 1

        /// What a login asks for that is to show a number.
        public var numberCheck = NumberCheck.match

        /// What same-device links begin with; empty for the bare token.
        public var confirmLink = "my-secure://confirm"

        /// Whether same-device links have the answer to the check
        /// (`sameDeviceIncludeUserVerification`).
        public var linkHasAnswer = false

        /// Which of a user's credentials a login asks.
        public var askedCredential = AskedCredential.first

        /// The `clientId` of the application that the user logs in to.
        public var applicationID = "test-app"

        /// Its name; `nil` if it has none.
        public var applicationName: String? = "Test App"

        // MARK: Surroundings

        /// The server's clock.
        public var clock: any PushClock

        /// By how much the server's clock is ahead of ``clock``.
        public var clockOffset: Duration = .zero

        /// Where identifiers, nonces, numbers and PINs come from.
        public var random: any RandomSource

        /// Creates a configuration; everything else starts as the server's defaults.
        public init(
            algorithm: Algorithm = .rs256, clock: any PushClock = SystemClock(),
            random: any RandomSource = SystemRandom()
        ) {
            self.algorithm = algorithm
            self.clock = clock
            self.random = random
        }
    }

    /// What the user brings from the login page to the device.
    @nonexhaustive
    public enum NumberCheck: Hashable, Sendable {
        /// The user chooses the shown one of three numbers (`number-match`).
        case match
        /// The user types what is shown (`pin`), 1 to 12 digits.
        case pin(length: Int)
    }

    /// Which of a user's credentials a login asks.
    @nonexhaustive
    public enum AskedCredential: Hashable, Sendable {
        /// The one stored first, as the extension does by itself.
        case first
        /// The one stored last, as an operator's own choice may be (`resolveCredential`).
        case last
    }
}

extension KeycloakSimulator.Configuration {
    /// The server's time.
    var now: Date { clock.now + clockOffset.inSeconds }

    /// The server's time in whole seconds, as claims have it.
    var seconds: Int64 { Int64(now.timeIntervalSince1970.rounded(.down)) }

    /// The realm's path.
    var path: String { "\(contextPath)/realms/\(realm)" }

    /// A lower-case UUID.
    func identifier() -> String { random.uuid().lowercased() }

    /// An even choice below a small bound.
    func number(below bound: Int) -> Int {
        let bits = random.bytes(8).withBytes { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return Int(bits % UInt64(bound))
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}

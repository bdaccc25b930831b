public import PushCore

extension OneSpanSimulator {
    /// How the tenant, the customer's server and their surroundings are set up.
    public struct Configuration: Sendable {
        // MARK: Platform

        /// The tenant's domain, in lower case; at most 255 bytes.
        public var domain: String

        /// How long an activation password works. OneSpan documents 10 minutes.
        public var activationPasswordLifetime: Duration = .seconds(600)

        /// How many wrong password proofs void a registration.
        public var activationAttempts = 3

        /// How long a login or a transaction may be decided (policy `pn_auth_timeout`). OneSpan
        /// documents 60 seconds.
        public var sessionTimeout: Duration = .seconds(60)

        /// How many wrong responses end a session. OneSpan's policy is UNCONFIRMED.
        public var wrongResponsesPerSession = 3

        /// How many wrong responses in a row lock a user. OneSpan's policy is UNCONFIRMED.
        public var wrongResponsesBeforeLock = 5

        /// How long the same bytes get the same reply.
        public var replyCacheDuration: Duration = .seconds(300)

        /// How long a removed device is told so with proof.
        public var removedDeviceRetention: Duration = .seconds(30 * 86_400)

        /// A token that comes with an accepted login, as a JWT does since release 5.13.2; at most
        /// 4,096 bytes.
        public var authToken: String?

        /// Whether a login waits for the push service's word, as before release 26.R1.
        public var sendsPushesSynchronously = false

        // MARK: Logins

        /// How the user authenticates for ``OneSpanSimulator/startLogin(of:asking:spoiledBy:)`` of
        /// the kind `confirm`: ``AuthenticationMethod/none`` or ``AuthenticationMethod/password``.
        public var confirmMethod = AuthenticationMethod.none

        /// What a device shows for ``OneSpanSimulator/startLogin(of:asking:spoiledBy:)``.
        public var loginDisplay = DisplayContent.text("Sign in to Example Bank")

        /// The title of a login's push; OneSpan's default is UNCONFIRMED.
        public var loginTitle = "Login Request"

        /// The text of a login's push; OneSpan's default is UNCONFIRMED.
        public var loginSubject = "Tap here to confirm login"

        /// The title of a transaction's push.
        public var transactionTitle = "Transaction Request"

        /// The text of a transaction's push.
        public var transactionSubject = "Tap here to confirm transaction"

        /// Custom attributes of each push.
        public var pushAttributes: [String: String] = [:]

        // MARK: Customer's server

        /// Where the app posts its commands, as `{"command": "…"}`.
        public var commandPath = "/commands"

        /// Which service of the platform the customer's server calls.
        public var commandService = CommandService.v2

        /// Whether the customer's server drops the body of each error, as a careless one does.
        public var stripsErrorBodies = false

        // MARK: Surroundings

        /// The server's clock.
        public var clock: any PushClock

        /// Where keys, passwords, identifiers and challenges come from.
        ///
        /// The server's static key draws 32 bytes, again if they are no private key of P-256. A
        /// registration draws 7 bytes (the activation password) and 16 (`registrationID`); the
        /// first command 32 (ephemeral key) and 32 (nonce); the second 16 (device identifier) and
        /// 32 (challenge); the third 32 (challenge). A login draws 16 bytes (`requestID`) and, for
        /// each device, 16 (flow); a fetch 32 (challenge).
        public var random: any RandomSource

        /// Creates a configuration; everything else starts as the platform's defaults.
        public init(
            domain: String = "example-domain", clock: any PushClock = SystemClock(),
            random: any RandomSource = SystemRandom()
        ) {
            self.domain = domain.lowercased()
            self.clock = clock
            self.random = random
        }
    }
}

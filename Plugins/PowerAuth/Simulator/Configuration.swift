public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PowerAuthSimulator {
    /// What kind of server the simulator is, and how strict.
    public struct Configuration: Sendable {
        // MARK: Applications

        /// The applications it serves; the first is that of activations made without saying.
        ///
        /// Without any, none can be made.
        public var applications: [Application]

        /// The platform names it takes for push registration.
        public var platforms = PlatformNames.current

        /// Whether a push of an operation says which activation it is for.
        public var namesActivation = true

        /// How messages for a Firebase token look.
        public var firebase = FirebaseShape.data

        /// Whether a registration that says no environment is for APNs' sandbox.
        public var isSandboxByDefault = false

        // MARK: Activations

        /// How long a code lasts, and how long its commit may take, both from its creation.
        public var activationLifetime: Duration = .seconds(300)

        /// The options of activations that ``PowerAuthSimulator/invitation(for:)`` makes.
        public var invitation = ActivationOptions()

        /// How many wrong signatures block an activation, 1 to 64; also how many wrong one-time
        /// passwords remove one that is new.
        public var maximumFailedAttempts = 5

        /// How many values of the counter are tried, 1 to 64.
        public var lookAhead = 20

        /// What the status call answers beside the blob; left out if `nil`.
        public var customObject: JSON.Object?

        // MARK: Activations without a code

        /// Whom the enrollment server knows by other means.
        public var directUsers: [DirectUser] = []

        /// Where users can log in.
        public var identityProviders: [IdentityProvider] = []

        /// What the server makes of an activation's custom attributes; they come back as they are if
        /// `nil`.
        public var customAttributes: JSON.Object?

        /// What is told of users, by their names.
        public var userInfo: [String: JSON.Object] = [:]

        /// Whether the reply to an activation tells of the user, too.
        public var tellsUserAtActivation = false

        // MARK: Encryption and tokens

        /// How long a temporary key lasts.
        public var temporaryKeyLifetime: Duration = .seconds(300)

        /// How far an envelope's time may be from the server's.
        ///
        /// For a token of version 3.2 or 3.3 it's how far that may lie in the future.
        public var replayWindow: Duration = .seconds(60)

        /// Whether an envelope may be too old.
        ///
        /// The sources show only the check of the other bound; whether released servers check this
        /// one is UNCONFIRMED.
        public var refusesOldEnvelopes = true

        /// How long after its time a token's header is good.
        public var tokenLifetime: Duration = .seconds(7200)

        /// How far the time of a token of version 3.0 or 3.1 may lie in the future.
        public var tokenFuture: Duration = .seconds(1800)

        /// Whether biometry may unlock the vault.
        public var unlocksVaultWithBiometry = false

        // MARK: The bank's own endpoints

        /// What the bank's own server serves, in the order it's looked for.
        public var resources: [BankResource] = []

        // MARK: Operations

        /// How many digits each part of an offline signature has, 4 to 8.
        public var offlineDigits = 8

        /// How long an operation that ``PowerAuthSimulator/startLogin(of:asking:spoiledBy:)`` makes
        /// lasts.
        public var loginLifetime: Duration = .seconds(300)

        /// The template of those logins.
        public var login = OperationTemplate.login

        // MARK: Surroundings

        /// The server's clock.
        public var clock: any PushClock

        /// Where keys, codes and identifiers come from. ECDSA signatures alone are randomized
        /// otherwise.
        public var random: any RandomSource

        /// Creates a configuration with one application whose keys are drawn.
        public init(
            clock: any PushClock = SystemClock(), random: any RandomSource = SystemRandom()
        ) {
            applications = [Application(id: "mobile-bank", random: random)]
            self.clock = clock
            self.random = random
        }
    }
}

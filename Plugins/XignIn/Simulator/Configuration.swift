public import Crypto
public import PushCore
public import PushTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension XignInSimulator {
    /// What kind of manager the simulator is, and what its logins ask for.
    public struct Configuration: Sendable {
        // MARK: Manager

        /// The manager's identifier, `idmIdentifier`: 1 to 128 of `A–Z a–z 0–9 . _ -`.
        ///
        /// Changing it later leaves devices behind that know the manager by another name.
        public var identifier: String

        /// The key it signs with from the start; `nil` draws one. Later changes have no effect.
        public var signingKey: P256.Signing.PrivateKey?

        /// The versions of the smart-device-api it speaks. Messages need the lowest.
        public var versions = [Version(1, 0, 0)]

        /// The version of the server core, as `GET /api/modules` tells it.
        public var coreVersion = "13.0.0"

        /// The bearer token of relying parties.
        public var bearer = Secret("relying-party".utf8)

        /// How long a link to personalize lasts, in whole seconds.
        public var activationLifetime: Duration = .seconds(600)

        /// The fewest PBKDF2 iterations it takes for a PIN. Devices choose, by default 100,000.
        public var minimumPINIterations = 1

        /// When wrong factors lock an activation.
        public var lockouts = LockoutPolicy()

        // MARK: Logins

        /// The service that users sign in to.
        public var service = Service(id: "example-shop", name: "Example Shop")

        /// Who runs the service.
        public var organization = Organization(
            name: "Example GmbH", websiteURL: "https://shop.example.com")

        /// The roles that each kind of login offers; a kind without roles is unsupported.
        ///
        /// At first a yes or no takes the PIN, and biometry takes that. There is no number to
        /// choose in this protocol.
        public var roles: [SimulatedLogin.Kind: [Role]] = [
            .confirm: [Role(id: "user", name: "User", requestedAuthenticators: [[.pin, .device]])],
            .biometry: [
                Role(id: "user", name: "User", requestedAuthenticators: [[.biometric, .device]])
            ],
        ]

        /// The attributes the service asks for, in order; their names are unique.
        public var attributes: [Attribute] = []

        /// The text that the user approves and the assertion covers; `nil` if there is none.
        public var transaction: String?

        /// How long a process lasts, in whole seconds.
        public var processLifetime: Duration = .seconds(180)

        // MARK: Messages

        /// The title that an authentication message recommends.
        public var title: String? = "Sign-in request"

        /// The text that an authentication message recommends.
        public var message: String? = "Tap to continue"

        /// The priority of authentication messages.
        public var priority = Priority.high

        /// Whether a device that can't act on an authentication message may drop it silently.
        public var isIgnorable = false

        /// Whether a device that can't act on a cancel message may drop it silently.
        public var isCancelIgnorable = true

        // MARK: Surroundings

        /// The manager's clock.
        public var clock: any PushClock

        /// Where keys, secrets and identifiers come from.
        ///
        /// Everything but signatures is determined by it: ES256 as used here is randomized.
        public var random: any RandomSource

        /// How identifiers are made, each used once; at first by ``Identifier/made(from:)``.
        public var makeIdentifier: @Sendable (Identifier, any RandomSource) -> String = {
            $0.made(from: $1)
        }

        /// Creates a configuration.
        public init(
            identifier: String = "idm-example", clock: any PushClock = SystemClock(),
            random: any RandomSource = SystemRandom()
        ) {
            self.identifier = identifier
            self.clock = clock
            self.random = random
        }
    }
}

extension XignInSimulator.Configuration {
    /// The manager's time, in whole seconds since 1970.
    var now: Int64 { Int64(exactly: clock.now.timeIntervalSince1970.rounded(.down)) ?? 0 }

    /// The lowest version it speaks.
    var lowestVersion: XignInSimulator.Version? { versions.min() }

    func identifier(_ kind: XignInSimulator.Identifier) -> String {
        makeIdentifier(kind, random)
    }
}

extension XignInSimulator {
    /// How urgent a message wants to look. Never a reason for a device to wait.
    @nonexhaustive
    public enum Priority: String, Hashable, Sendable {
        /// Nothing was said; the message leaves it out.
        case unspecified
        /// Unobtrusive.
        case low
        /// As any other.
        case normal
        /// Urgent.
        case high
    }
}

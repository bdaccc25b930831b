public import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PrivacyIDEASimulator {
    /// How the server is set up: its release, and what its policies say.
    public struct Configuration: Sendable {
        // MARK: Deployment

        /// The release.
        public var generation: Generation

        /// The path of the push endpoint.
        public var path = "/ttype/push"

        /// Where the key pairs come from that the server makes for tokens.
        public var serverKeys = ServerKeySupply.fresh(bits: RSAKeySize.smallest)

        /// How the server pushes.
        public var gateway = Gateway.firebase

        /// Whether the gateway takes no message. Challenges are made all the same, unless ``polling``
        /// is forbidden.
        public var gatewayFails = false

        /// Whether replies don't say which release the server is.
        public var hidesVersion = false

        /// Whether replies with 400 and 404 say nothing but the code −311. Other statuses and their
        /// codes stay; that they do is UNCONFIRMED.
        public var hidesErrors = false

        // MARK: Invitations

        /// The issuer, for people.
        public var issuer: String

        /// How many minutes a code is to be used; the server itself doesn't check it.
        public var codeLifetime = 10

        /// Whether codes have the scheme `pia`.
        public var usesPIAScheme = false

        /// Whether codes and challenges ask to verify TLS.
        public var asksToVerifyTLS = true

        /// Whether codes ask for the unlocked app before an answer.
        public var forcesAppPIN = false

        /// How the app is to be unlocked, as `app_force_unlock` names it, such as `biometric`.
        public var appUnlock: String?

        /// The URL of a logo.
        public var image: String?

        // MARK: Logins

        /// The title of challenges; `{user}`, `{client_ip}` and `{ua_string}` are replaced.
        public var title = "Example Bank"

        /// The question of challenges, with the same tags as ``title``.
        public var question = "Log in as {user} from {client_ip}?"

        /// Where the login page's user is.
        public var clientAddress = "203.0.113.7"

        /// What the login page's user has for a browser.
        public var clientAgent = "Mozilla/5.0"

        /// The address of the phone, as a server sees it that makes a text for each poll.
        public var phoneAddress = "198.51.100.9"

        /// What a login that asks for a number lets the user choose from.
        public var presence = Presence.numeric(count: 3)

        /// Whether a yes to a login that asks for no number is told a code for the login page.
        public var sendsCodeToPhone = false

        /// The text above that code.
        public var codeMessage = "Enter the code to log in"

        /// How long an answer may take (`PushChallengeValidityTime`).
        public var validity: Duration = .seconds(120)

        /// Who may poll.
        public var polling = Polling.allow

        /// Where challenges lead, if not to the server's own endpoint.
        public var challengeURL: String?

        /// What a blocked user's phone is told, if anything.
        public var blockedMessage: String?

        // MARK: Surroundings

        /// The server's clock.
        public var clock: any PushClock

        /// By how much the server's clock is ahead of ``clock``.
        public var clockOffset: Duration = .zero

        /// Where serials, credentials, nonces, options and codes come from.
        public var random: any RandomSource

        /// Creates a configuration; everything else starts as the server's defaults.
        public init(
            generation: Generation = .v314, issuer: String = "privacyIDEA",
            clock: any PushClock = SystemClock(), random: any RandomSource = SystemRandom()
        ) {
            self.generation = generation
            self.issuer = issuer
            self.clock = clock
            self.random = random
        }
    }
}

extension PrivacyIDEASimulator.Configuration {
    /// The server's time.
    var now: Date { clock.now + clockOffset.inSeconds }

    /// How long the relying party has to finish after an answer. Before 3.14 it is what is left of
    /// the challenge's validity; UNCONFIRMED.
    var timeToFinish: Duration? { generation >= .v314 ? .seconds(300) : nil }
}

/// What each release has.
extension PrivacyIDEASimulator.Generation {
    /// Number matching, code to phone, `pia` codes and the parameter `poll_only`.
    var hasPresence: Bool { self >= .v313 }

    /// Capabilities, reasons, and gateways other than Firebase.
    var hasCapabilities: Bool { self >= .v314 }

    /// Whether an answer is taken once, and by an open challenge alone.
    var answersOnce: Bool { self >= .v314 }

    /// Whether a text is made once, not for each poll.
    var storesTexts: Bool { self >= .v314 }

    /// Whether a no changes anything.
    var remembersNo: Bool { self >= .v313 }

    /// Whether an answer must name its challenge.
    var needsNonce: Bool { self < .v313 }

    /// As replies have it.
    var version: String {
        switch self {
        case .v39: "3.9.3"
        case .v313: "3.13.3"
        case .v314: "3.14"
        }
    }
}

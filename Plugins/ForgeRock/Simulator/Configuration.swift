public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ForgeRockSimulator {
    /// What kind of AM the simulator is, and how its journeys are set up.
    public struct Configuration: Sendable {
        // MARK: Deployment

        /// The release.
        public var generation: Generation

        /// Whether ``Generation/b`` is AM 7.2 rather than 7.3 to 8.0.0.
        ///
        /// 7.2 has no `mfauth` invitations, its invitations' label names the issuer `forgerock`,
        /// and its APNs payloads have a plain `category` and no `mutable-content`. That they have
        /// no `interruption-level` either is UNCONFIRMED.
        public var isAM72 = false

        /// The realm, such as `/` or `/alpha`.
        public var realm: String

        /// The path AM is deployed at, such as `/am`.
        public var contextPath = "/am"

        /// Whether the realm has a push service; without one, AM replies 404.
        public var hasPushService = true

        /// The load balancer's cookie, `name=value`, that invitations and pushes carry.
        ///
        /// What AM sends without a load balancer is UNCONFIRMED; `nil` leaves it out.
        public var loadBalancerCookie: String? = "amlbcookie=01"

        /// How long the server keeps a message identifier (`mdDuration`, *Response Cache
        /// Duration*). AM doesn't derive it from ``messageTimeout``.
        public var responseCacheDuration: Duration = .seconds(120)

        /// Whether expired messages stay in the token store until ``ForgeRockSimulator/reap()``.
        ///
        /// AM doesn't compare a message's expiry when an answer arrives; what refuses a late one is
        /// that a reaper has removed the message. Whether the store hides it earlier is
        /// UNCONFIRMED; if this is `false`, it does.
        public var isReaperSlow = false

        /// Which device tokens SNS refuses, by their text on the wire.
        public var refusesDeviceToken: @Sendable (String) -> Bool = { _ in false }

        // MARK: Journeys

        /// The issuer, for people.
        public var issuer: String

        /// What an invitation offers if nothing else is asked for.
        public var enrollment = EnrollmentOptions()

        /// How long the registration journey waits for the device. A later registration may still
        /// get 200, while the journey has given up and saves no device.
        public var registrationTimeout: Duration = .seconds(60)

        /// How long an answer may take, as the push says it, in whole seconds.
        public var messageTimeout: Duration = .seconds(120)

        /// The text of a push; `{{user}}` and `{{issuer}}` are replaced.
        public var userMessage = "Login attempt from {{user}} at {{issuer}}"

        /// What the journey adds to a push, at most 3 KiB of JSON text.
        public var customPayload: JSON.Object = [:]

        /// Whether a push tells where the login comes from.
        public var sharesContextInfo = false

        /// Where logins come from.
        public var context = LoginContext()

        /// Whether logins use the old authentication *module* instead of journey nodes: it asks
        /// only for a yes or no, its pushes carry `u l c i t`, and its first valid answer is final.
        public var usesAuthenticationModule = false

        // MARK: Surroundings

        /// The server's clock.
        public var clock: any PushClock

        /// Where secrets, challenges, identifiers and numbers come from.
        ///
        /// Invitations draw the profile's UUID (16 bytes), the secret (32), the challenge (32), the
        /// message's UUID (16) and, where there is a one-time-code half, its secret (20) and UUID
        /// (16). Logins draw the challenge (32), for a number challenge four indices of 8 bytes
        /// (three numbers, and which of them is right), and the message's UUID (16).
        public var random: any RandomSource

        /// Creates a configuration; everything else starts as AM's defaults.
        public init(
            generation: Generation = .c, realm: String = "/", issuer: String = "ForgeRock",
            clock: any PushClock = SystemClock(), random: any RandomSource = SystemRandom()
        ) {
            self.generation = generation
            self.realm = realm
            self.issuer = issuer
            self.clock = clock
            self.random = random
        }
    }
}

/// What each release has.
extension ForgeRockSimulator.Configuration {
    /// Whether it is AM 7.3 or later.
    var isAM73: Bool { generation > .b || generation == .b && !isAM72 }

    /// Whether pushes have a type, a text and the like.
    var hasTypedPushes: Bool { generation > .a && !usesAuthenticationModule }

    /// Whether invitations name user and resource identifiers, and `refresh` exists.
    var hasRefresh: Bool { generation >= .c }

    /// Whether a token that SNS refuses is a plain 400.
    var foreseesRefusedToken: Bool { generation >= .c }

    /// Whether a wrong number is refused on the HTTP call. UNCONFIRMED in its details.
    var checksNumberAtOnce: Bool { generation >= .d }

    /// Whether the journey itself stops waiting, one message timeout after its first look.
    var hasJourneyExpiry: Bool { isAM73 && !usesAuthenticationModule }

    /// The endpoint's path, without a query.
    var path: String {
        Self.slashed(contextPath) + "/json" + Self.slashed(realm) + "/push/sns/message"
    }

    private static func slashed(_ path: String) -> String {
        path.split(separator: "/").map { "/" + $0 }.joined()
    }
}

extension ForgeRockSimulator {
    /// Releases of AM whose wire differs.
    @nonexhaustive
    public enum Generation: Hashable, Comparable, Sendable, CaseIterable {
        /// AM 6.0 to 7.1: a push says who, what challenge and how long, and asks for a yes or no.
        case a
        /// AM 7.2 to 8.0.0: pushes have a type, a text, a time, numbers, a custom payload and a
        /// context. See ``Configuration/isAM72`` for what came only with 7.3.
        case b
        /// AM 8.0.1 and 8.0.2: adds the user name, resource identifiers and the device token
        /// refresh.
        case c
        /// AM 8.1 and later: a wrong number is refused on the HTTP call itself.
        ///
        /// UNCONFIRMED beyond that one statement: the server's source isn't public.
        case d
    }
}

extension Date {
    /// Milliseconds since 1970, as Java's clock tells them.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}

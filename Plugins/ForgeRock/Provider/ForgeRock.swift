public import PushCore

/// ForgeRock Access Management, also known as PingAM and PingOne Advanced Identity Cloud ("AM").
///
/// AM signs each push with a secret it shared at enrollment (HS256). Nothing of a push is believed,
/// shown or stored before that signature holds.
public struct ForgeRock: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let environment: PushEnvironment

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "forgerock", configuration: Configuration = Configuration(),
        in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        self.environment = environment.scoped(to: id)
    }

    /// The device token can be changed (AM 8.0.1 or later). AM judges lateness itself, so an
    /// answer after the expiry may be sent, unless the configuration says otherwise.
    public var capabilities: Capabilities {
        configuration.refusesLateAnswers ? [.tokenUpdate] : [.tokenUpdate, .lateAnswers]
    }

    /// A plain yes, one of the numbers that a push lists, or two digits where it lists none.
    public var prompts: [Challenge.Prompt] { [.approve, .choose([]), .enter(digits: 2)] }

    /// AM takes Apple's token on Apple's systems, and Firebase's elsewhere.
    public var pushServices: [DeviceToken.Service] { [.apns, .fcm] }

    /// Reads enrollment URIs and registers with AM; keeps what `otpauth` codes hold.
    public var enroller: any Enroller {
        ForgeRockEnroller(
            provider: id, environment: environment, hosts: hosts, policies: configuration.policies,
            refusesUnreadablePolicies: configuration.refusesUnreadablePolicies)
    }

    /// Makes one-time codes for enrollments that have them; for others it throws `unsupported`.
    public var codes: (any CodeGenerator)? {
        ForgeRockCodes(
            provider: id, clock: environment.clock, policies: configuration.policies)
    }

    /// Opens and answers AM's challenges.
    public var resolver: any Resolver {
        ForgeRockResolver(
            transport: environment.transport, policies: configuration.policies)
    }

    /// The one-time codes' secret. What answers a push also verifies it, so that can't be locked.
    public var guarded: Capabilities.GuardedPart? {
        Capabilities.GuardedPart(of: ForgeRockCredential.self, for: .codes)
    }

    /// Everything may leave: codes by time as a copy, pushes and codes by a counter from device to
    /// device.
    public var exporter: any EnrollmentExporter {
        ForgeRockExporter(accounts: accounts, hosts: hosts)
    }

    var accounts: Accounts { environment.accounts(for: id) }

    /// Which hosts an enrollment may lead to.
    var hosts: AllowedHosts {
        AllowedHosts(configuration.allowedHosts, allowsLocal: configuration.allowsLocalHosts)
    }

    /// The message as a candidate if it has the form of AM's pushes: APNs, FCM, or the bare pair of
    /// both.
    public func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        let verifier = PushVerifier(provider: id, environment: environment)
        return PushPayload(message).map {
            PushMessage.Candidate($0, verifiedBy: verifier.event(from:in:))
        }
    }
}

extension ForgeRock {
    /// What the app has chosen.
    public struct Configuration: Sendable {
        /// The device policies the app can judge, in the order they are judged.
        public var policies: [DevicePolicy]

        /// Whether an invitation is refused if its policies can't be read.
        ///
        /// Otherwise such policies count as absent, as they do in the vendor's own apps, and the
        /// observer is told.
        public var refusesUnreadablePolicies: Bool

        /// Whether an answer is refused once the push has certainly expired by AM's clock.
        ///
        /// Otherwise it is sent, and AM decides, as in the vendor's own apps.
        public var refusesLateAnswers: Bool

        /// The hosts that an enrollment code may lead to, such as `am.example.com`, international
        /// names as A-labels; empty for any name, and then the app shows the offer's hosts for
        /// consent. Neither the case of letters, nor a dot at the end, nor the brackets of an IPv6
        /// address make a difference.
        public var allowedHosts: Set<String>

        /// Whether a code may lead to an IP address or to `localhost`, if ``allowedHosts`` is
        /// empty: for tests, simulators and labs.
        public var allowsLocalHosts: Bool

        /// Creates a configuration.
        public init(
            policies: [DevicePolicy] = [], refusesUnreadablePolicies: Bool = false,
            refusesLateAnswers: Bool = false, allowedHosts: Set<String> = [],
            allowsLocalHosts: Bool = false
        ) {
            self.policies = policies
            self.refusesUnreadablePolicies = refusesUnreadablePolicies
            self.refusesLateAnswers = refusesLateAnswers
            self.allowedHosts = allowedHosts
            self.allowsLocalHosts = allowsLocalHosts
        }
    }
}

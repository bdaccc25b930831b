public import PushCore

/// privacyIDEA's push token: the server signs each challenge with a key pair that it made for this
/// token, the device answers with another one (RSA, PKCS#1 v1.5, SHA-256).
///
/// Challenges come by push and by polling, the same signed fields either way. Nothing of a challenge is
/// believed, shown or stored before its signature holds.
public struct PrivacyIDEA: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let environment: PushEnvironment
    let keys: DeviceKeySource

    /// Shared by all copies of this value.
    let enrollments = ListedEnrollments()

    /// Shared as well.
    let serverKeys = ServerKeys()

    /// Shared as well.
    let deviceKeys = DeviceKeys()

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "privacyidea", configuration: Configuration = Configuration(),
        in environment: PushEnvironment
    ) {
        self.init(id: id, configuration: configuration, keys: .fresh, in: environment)
    }

    /// Creates a provider whose key pairs come from elsewhere, such as from recorded exchanges.
    init(
        id: ProviderID = "privacyidea", configuration: Configuration = Configuration(),
        keys: DeviceKeySource, in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        self.environment = environment.scoped(to: id)
        self.keys = keys
    }

    /// The server lists what waits, and takes another device token or none. It judges lateness itself,
    /// as no challenge says when it ends. A reason of a denial is sent where a challenge allows it.
    public var capabilities: Capabilities {
        [.pendingList, .denyReasons, .tokenUpdate, .tokenRemoval, .lateAnswers]
    }

    /// A plain yes, or one of the options of `require_presence`.
    public var prompts: [Challenge.Prompt] { [.approve, .choose([])] }

    /// Firebase's alone, unless the configuration says that the server's gateway takes Apple's.
    public var pushServices: [PushService] {
        configuration.usesAPNsTokens ? [.apns, .fcm] : [.fcm]
    }

    /// Reads `otpauth://pipush` and `pia://pipush` codes, and enrolls at their `url`.
    public var enroller: any Enroller { PrivacyIDEAEnroller(provider: self) }

    /// Lists, opens and answers challenges.
    public var resolver: any Resolver { PrivacyIDEAResolver(provider: self) }

    /// Nothing may leave: the server knows the device by a private key that was made on it.
    public var mover: any EnrollmentMover {
        DeviceBound(
            "The token's private key was made on this device, and the server knows the device by it. Enroll a "
                + "token on the new device.")
    }

    /// What has the seven fields of a challenge at its top level, all of them texts.
    ///
    /// It is verified with the server key of each enrollment that has its serial. That throws
    /// `PushError`: `unknownEnrollment` if no enrollment has the serial, `untrusted` if no key verifies
    /// it or it leads to another origin, `malformed` if it is genuine but not a challenge as documented.
    public func candidate(in message: PushMessage) -> PushCandidate? {
        guard let fields = ChallengeFields(message.content) else { return nil }
        return PushCandidate(fields) { (fields) async throws(PushError) in
            try await ChallengeVerifier(provider: self).event(from: fields)
        }
    }

    /// Before 3.14 a push and the list have different texts for one challenge, all of them genuine. The
    /// push's counts, as the list's is made of the device's own request; the answer goes to the newest
    /// address.
    ///
    /// - Throws: `PushError` with the code `untrusted` if one asks for a yes or no and the other for a
    ///   choice, or for another one; `malformed` if a context is damaged.
    public func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? {
        let (old, new) = (
            try ChallengeContext(known.context), try ChallengeContext(other.context)
        )
        var context = try old.renewed(by: new)
        let isBetter = new.isPushed && !old.isPushed && other.notice.hasWords
        guard isBetter || !known.notice.hasWords else {
            return Announcement(known.notice, context: context.sealed)
        }
        context.isPushed = new.isPushed
        context.isShownWhole = new.isShownWhole
        return Announcement(other.notice, context: context.sealed)
    }

    var vault: Vault { environment.vault(for: id) }

    /// A token that must be there, with what its challenges are verified by.
    ///
    /// - Throws: `PushError`: `unknownEnrollment` if it isn't there, `malformed` if it is damaged,
    ///   `storage` if the store can't tell.
    func token(_ id: Enrollment.ID) async throws(PushError) -> Token {
        try await token(id, keptAs: vault.existing(id).secret)
    }

    /// The same from its record's secret half.
    func token(_ id: Enrollment.ID, keptAs secret: Secret) async throws(PushError) -> Token {
        let credential = try PrivacyIDEACredential(secret)
        return Token(
            id: id, credential: credential, key: try await serverKeys.key(of: credential, id))
    }

    var calls: ServerCalls { ServerCalls(provider: self) }

    /// Drops everything that is kept in memory, as may happen at any moment.
    func dropCaches() async {
        await enrollments.forget()
        await serverKeys.dropCaches()
        await deviceKeys.dropCaches()
    }
}

extension Notice {
    /// Whether it says anything.
    fileprivate var hasWords: Bool { title != nil || body != nil }
}

/// A token on this device, with what its challenges are verified by.
struct Token {
    let id: Enrollment.ID
    let credential: PrivacyIDEACredential
    let key: ServerKey
}

public import PushCore

extension PrivacyIDEA: PushProvider {
    /// The server lists what waits, and takes another device token or none. It judges lateness
    /// itself, as no challenge says when it ends. A reason of a denial is sent where a challenge
    /// allows it.
    public var capabilities: Capabilities {
        [.pendingList, .denyReasons, .tokenUpdate, .tokenRemoval, .lateAnswers]
    }

    /// A plain yes, or one of the options of `require_presence`.
    public var prompts: [Challenge.Prompt] { [.approve, .choose([])] }

    /// Firebase's alone, unless the configuration says that the server's gateway takes Apple's.
    public var pushServices: [DeviceToken.Service] {
        configuration.usesAPNsTokens ? [.apns, .fcm] : [.fcm]
    }

    /// Reads `otpauth://pipush` and `pia://pipush` codes, and enrolls at their `url`.
    public var enroller: any Enroller {
        PrivacyIDEAEnroller(calls: calls, lists: lists, tokens: tokens, keys: keys)
    }

    /// Lists, opens and answers challenges.
    public var resolver: any Resolver {
        PrivacyIDEAResolver(calls: calls, lists: lists)
    }

    /// The device's key: a no, the list and a new device token need it, too. What was answered is
    /// sent without it.
    public var guarded: Capabilities.GuardedPart? {
        Capabilities.GuardedPart(
            of: PrivacyIDEACredential.self, for: [.approval, .denial, .questions])
    }

    /// Nothing may leave: the server knows the device by a private key that was made on it.
    public var exporter: any EnrollmentExporter {
        NotExportable(
            "The token's private key was made on this device, and the server knows the device by it. Enroll a "
                + "token on the new device.")
    }

    /// What has the seven fields of a challenge at its top level, all of them texts.
    ///
    /// It is verified with the server key of each enrollment that has its serial. That throws
    /// `PushError`: `unknownEnrollment` if no enrollment has the serial, `untrusted` if no key
    /// verifies it or it leads to another origin, `malformed` if it is genuine but not a challenge
    /// as documented.
    public func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        ChallengeFields(message.content).map {
            PushMessage.Candidate($0, verifiedBy: verifier.event(from:in:))
        }
    }

    /// Before 3.14 a push and the list have different texts for one challenge, all of them genuine.
    /// The push's counts, as the list's is made of the device's own request; the answer goes to the
    /// newest address.
    ///
    /// - Throws: `PushError` with the code `untrusted` if one asks for a yes or no and the other
    ///   for a choice, or for another one; `malformed` if a context is damaged.
    public func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? {
        let (old, new) = (try known.note, try other.note)
        var context = try old.renewed(by: new)
        let isBetter = new.isPushed && !old.isPushed && other.notice.hasWords
        guard isBetter || !known.notice.hasWords else {
            return Announcement(known.notice, context: context.sealed)
        }
        context.isPushed = new.isPushed
        context.isShownWhole = new.isShownWhole
        return Announcement(other.notice, context: context.sealed)
    }
}

extension PrivacyIDEA {
    private var calls: ServerCalls {
        ServerCalls(
            provider: id, configuration: configuration, environment: environment,
            deviceKeys: deviceKeys)
    }

    private var tokens: Tokens {
        Tokens(clock: environment.clock, listed: enrollments, serverKeys: serverKeys)
    }

    private var verifier: ChallengeVerifier {
        ChallengeVerifier(
            provider: id, configuration: configuration, clock: environment.clock, tokens: tokens)
    }

    private var lists: ServerLists {
        ServerLists(calls: calls, tokens: tokens, verifier: verifier)
    }
}

extension Notice {
    /// Whether it says anything.
    fileprivate var hasWords: Bool { title != nil || body != nil }
}

public import PushCore

extension Keycloak: PushProvider {
    /// The realm lists what waits, and takes another device token or none. There is no reason of a
    /// denial and no call that ends an enrollment. What is kept for a challenge is of no use after
    /// it.
    public var capabilities: Capabilities {
        [.pendingList, .tokenUpdate, .tokenRemoval, .singleUseContext]
    }

    /// A plain yes, one of three numbers, or a number of up to twelve digits.
    public var prompts: [Challenge.Prompt] { [.approve, .choose([]), .enter(digits: 12)] }

    /// Firebase's alone, unless the configuration names a sender that takes Apple's.
    public var pushServices: [DeviceToken.Service] {
        configuration.apnsProviderType == nil ? [.fcm] : [.apns, .fcm]
    }

    /// Reads enrollment codes, by token or by reference, and enrolls at the configured realms.
    public var enroller: any Enroller {
        KeycloakEnroller(calls: calls, lists: lists)
    }

    /// Lists, opens and answers challenges.
    public var resolver: any Resolver {
        KeycloakResolver(calls: calls, lists: lists)
    }

    /// The device's keys: all but reading a push needs them.
    public var guarded: Capabilities.GuardedPart? {
        Capabilities.GuardedPart(
            of: KeycloakCredential.self,
            for: [.approval, .denial, .delivery, .opening, .questions])
    }

    /// Nothing may leave: the realm knows the device by a private key that was made on it.
    public var exporter: any EnrollmentExporter {
        NotExportable(
            "The private key was made on this device, and the realm knows the device by it. Enroll the new "
                + "device, and remove this one in the account console.")
    }

    /// The confirm token of a push's member `token`, or of a same-device link or its QR code.
    ///
    /// It is verified with the keys of the realm of the enrollment that it names, which are fetched
    /// if they must be. That throws `PushError`: `unknownEnrollment` if no enrollment has its
    /// `credId`, `untrusted` if another realm is named or no key of the realm's verifies it,
    /// `malformed` if it is signed but not as documented, `invalidArgument` if the configuration no
    /// longer has the realm. If the keys can't be had, it is a reason to ask the list.
    public func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        ConfirmToken(message).map { PushMessage.Candidate($0, verifiedBy: verifier.event(of:in:)) }
    }

    /// A push doesn't say what is asked, and the list doesn't say of which kind it is. Each adds to
    /// what is known.
    ///
    /// - Throws: `PushError` with the code `untrusted` if one challenge was listed with two
    ///   questions; `malformed` if a context is damaged.
    public func merged(
        _ known: Announcement, _ other: Announcement
    ) throws(PushError) -> Announcement? {
        let context = try known.note.adding(other.note)
        return Announcement(known.notice, context: context.sealed)
    }
}

extension Keycloak {
    private var lists: ChallengeLists { ChallengeLists(calls: calls) }

    private var verifier: ConfirmVerifier {
        ConfirmVerifier(
            provider: id, configuration: configuration, realmKeys: realmKeys)
    }
}

public import PushCore

/// PlusAuth, with the push provider `native`: pushes through the app's own FCM or APNs account.
///
/// PlusAuth signs each push with the private key that this device made and sent to it at
/// enrollment; the account is the one whose public key verifies the push. So this factor proves
/// possession to an honest server only: an attacker who reads the server's database can sign for
/// both sides. Each account has a key pair of its own, used for nothing else.
public struct PlusAuth: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let channel: PlusAuthChannel
    let keys: AccountKeySource
    let matcher: AccountMatcher

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "plusauth", configuration: Configuration = Configuration(),
        in environment: PushEnvironment
    ) {
        self.init(id: id, configuration: configuration, keys: .fresh, in: environment)
    }

    /// Creates a provider whose key pairs come from elsewhere, such as from published vectors.
    package init(
        id: ProviderID = "plusauth", configuration: Configuration = Configuration(),
        keys: AccountKeySource, in environment: PushEnvironment
    ) {
        self.id = id
        self.configuration = configuration
        self.keys = keys
        channel = PlusAuthChannel(
            provider: id, configuration: configuration,
            environment: environment.scoped(to: id)
                .heedingPauses(where: PlusAuthRequest.asksToWait))
        matcher = AccountMatcher(channel: channel)
    }

    /// A denial can carry a reason. PlusAuth documents no call for a changed device token and no
    /// list of what waits. A context holds a bearer token, so it is forgotten once it's answered.
    public var capabilities: Capabilities { [.denyReasons, .singleUseContext] }

    /// A plain yes, or the text that the login page shows, among others.
    public var prompts: [Challenge.Prompt] { [.approve, .choose([])] }

    /// The documentation's sample has Firebase's token; its text names both.
    public var pushServices: [DeviceToken.Service] { [.fcm, .apns] }

    /// Reads `otpauth://push` codes and enrolls at their `enrollment_url`.
    public var enroller: any Enroller {
        PlusAuthEnroller(channel: channel, keys: keys, sim: sim)
    }

    /// Opens and answers challenges.
    public var resolver: any Resolver { PlusAuthResolver(channel: channel, sim: sim) }

    /// One-time codes for the login page's "try entering code manually".
    public var codes: (any CodeGenerator)? { PlusAuthCodes(channel: channel, sim: sim) }

    /// The key that signs answers, a no as well, and the secret of the codes. What was answered is
    /// sent without it.
    public var guarded: Capabilities.GuardedPart? {
        Capabilities.GuardedPart(of: PlusAuthCredential.self, for: [.approval, .denial, .codes])
    }

    /// Nothing may leave: there is no call that leads pushes to another device.
    public var exporter: any EnrollmentExporter {
        NotExportable(
            "PlusAuth sends its pushes to the device token that was told when this device was enrolled, and "
                + "has no call that changes it. Enroll the new device there.")
    }

    /// The message as a candidate if it has `context`, at the top level or in `data`: three
    /// base64url parts, the first a JSON object with `alg`.
    ///
    /// The candidate verifies it with the key of its account, and then reads it. That throws
    /// `PushError`: `untrusted` if no account's key verifies it, if its `resolve_url` isn't of the
    /// account's origin, or if it names no account and too few could be tried
    /// (``PlusAuthUntriedAccounts``); `malformed` if it is genuine but not what PlusAuth documents;
    /// `blocked` if the SIM changed and the account is bound to it.
    public func candidate(in message: PushMessage) -> PushMessage.Candidate? {
        guard let text = ContextText(message) else { return nil }
        let verifier = ContextVerifier(channel: channel, matcher: matcher, sim: sim)
        return PushMessage.Candidate(text, verifiedBy: verifier.event(from:in:))
    }

    /// The account in the shape of PlusAuth's account model (`details` of a push account).
    ///
    /// - Throws: `PushError` with the code `unknownEnrollment` if there is no such account,
    ///   `locked` if its guard is locked (`PushAuthenticator.withOpenGuards(of:title:_:)`).
    public func accountDetails(
        of enrollment: Enrollment.ID
    ) async throws(PushError) -> PushAccountDetails {
        do throws(PushError) {
            let account = try await channel.accounts.existing(enrollment)
            return try PushAccountDetails(account.credential(), account.enrollment)
        } catch {
            throw error.attributed(to: id)
        }
    }

    var sim: SIMEnforcement { SIMEnforcement(channel: channel) }

    /// Drops everything that is kept in memory, as may happen at any moment; not the searches that
    /// are under way.
    func dropCaches() async {
        await matcher.dropCaches()
    }
}

// Its parts use these types without naming the provider.
extension PlusAuth {
    /// What the app has chosen.
    public typealias Configuration = PlusAuthConfiguration

    /// The algorithm of an account's key pair.
    public typealias KeyAlgorithm = PlusAuthKeyAlgorithm

    /// What happens if an account is bound to its SIM cards, and they can't be told.
    public typealias SIMPolicy = PlusAuthSIMPolicy

    /// The `underlying` error of a push that names no account, where too few could be tried.
    public typealias UntriedAccounts = PlusAuthUntriedAccounts
}

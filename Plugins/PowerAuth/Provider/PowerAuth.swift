public import PushCore

/// Wultra PowerAuth: Mobile Token over protocol 3.3, or 3.2 or 3.1.
///
/// Its pushes aren't signed, so they only lead to asking. What waits is listed by the server over the
/// enrolled channel, and what is approved is signed with the keys of the activation.
public struct PowerAuth: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: PowerAuthConfiguration

    let environment: Environment
    let temporaryKeys = TemporaryKeyCache()
    let usableActivations = ListedEnrollments { $0.isUsable }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "powerauth", configuration: PowerAuthConfiguration,
        in environment: Environment
    ) {
        self.id = id
        self.configuration = configuration
        // Envelopes and tokens must carry the server's own time; what stands before it may have
        // another.
        self.environment = environment.scoped(to: id).withSignedTimeOnly
    }

    /// Operations are listed, a denial has a reason, the device token can be changed, and an
    /// activation ended. There is no call that takes a device token away.
    public var capabilities: Capabilities {
        [.pendingList, .denyReasons, .tokenUpdate, .serverRemoval]
    }

    /// The push server takes Apple's token and Firebase's.
    public var pushServices: [PushService] { [.apns, .fcm] }

    /// Activates the device by code.
    public var enroller: any Enroller { PowerAuthEnroller(provider: self) }

    /// Opens and answers operations.
    public var resolver: any Resolver { PowerAuthResolver(provider: self) }

    /// Operations that are over; the server asks for two factors to tell them. Ask in the enrollment's
    /// turn (`PushAuthenticator.turn(of:)`), as it takes a signature.
    public var history: (any HistorySource)? { PowerAuthHistory(provider: self) }

    /// Messages to the user that ask nothing. Read them in the enrollment's turn
    /// (`PushAuthenticator.turn(of:)`), or through ``PowerAuthInbox``.
    public var inbox: (any Inbox)? { InboxCalls(provider: self) }

    var channel: PowerAuthChannel { PowerAuthChannel(provider: self) }

    var vault: Vault { environment.vault(for: id) }

    func notice(_ summary: StaticString, at enrollment: Enrollment.ID? = nil) {
        environment.observer.observe(
            Observation(.noticed, summary, provider: id, enrollment: enrollment))
    }
}

public import PushCore

/// XignIn, with the vendor's own engine underneath, or another format.
///
/// A push says little and is signed by a key that was pinned when the device was personalized. What is
/// asked is fetched when the user opens it, and from then on the process is this device's.
public struct XignIn: PushProvider {
    /// The name of this instance.
    public let id: ProviderID

    /// What the app has chosen.
    public let configuration: Configuration

    let environment: Environment

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - id: The name of this instance; it must not change between releases of an app.
    ///   - configuration: What the app has chosen.
    ///   - environment: The world, as the provider may use it.
    public init(
        id: ProviderID = "xignin", configuration: Configuration,
        in environment: Environment
    ) {
        self.id = id
        self.configuration = configuration
        // Only what a manager signs is its time.
        self.environment = environment.scoped(to: id).withSignedTimeOnly
    }

    /// The device token can be changed and taken away, an activation ended, and a no has a reason.
    public var capabilities: Capabilities {
        [.tokenUpdate, .tokenRemoval, .serverRemoval, .denyReasons]
    }

    /// Managers push by Firebase alone, on Apple's systems, too.
    public var pushServices: [PushService] { [.fcm] }

    /// Reads activation links and personalizes the device.
    public var enroller: any Enroller { XignInEnroller(provider: self) }

    /// Opens and answers processes.
    public var resolver: any Resolver { XignInResolver(provider: self) }

    var format: any XignInWireFormat { configuration.wireFormat }

    var vault: Vault { environment.vault(for: id) }

    var access: XignInAccess {
        XignInAccess(
            provider: id, environment: environment, supportedAPI: configuration.supportedAPI,
            biometricKeys: configuration.biometricKeys)
    }

    /// What has the shape of a manager's messages. It is verified with the keys of the activation it
    /// names, and then read.
    ///
    /// A push with an unknown key makes it ask that activation's manager for its keys, a few times an
    /// hour at the most, and wait for them.
    public func candidate(in message: PushMessage) -> PushCandidate? {
        format.candidate(in: message).map { PushCandidate($0, verifiedBy: event(from:)) }
    }

    private func event(from candidate: XignInCandidate) async throws(PushError) -> PushEvent {
        event(try await candidate.message(using: access))
    }
}

/// The world, as a provider may use it: every seam in one value.
public struct Environment: Sendable {
    /// The network. It learns each server's time from the replies that pass, unless
    /// ``withSignedTimeOnly``, and tells ``observer`` of each server that can't be trusted.
    public var transport: any Transport { watched }

    private var watched: WatchedTransport

    /// Storage. A provider uses its ``vault(for:)`` instead.
    public let store: any CredentialStore

    /// The app's way to prove the user.
    public let verifier: any UserVerifier

    /// Time.
    public let clock: any PushClock

    /// Random bytes.
    public let random: any RandomSource

    /// What a vendor may be told about this device.
    public let device: Device

    /// Hears what is refused or odd.
    public let observer: any PushObserver

    /// Which servers want to be left alone.
    let pauses: ServerPauses

    /// What tells this environment and its copies from others.
    var identity: ObjectIdentifier { ObjectIdentifier(pauses) }

    /// Creates an environment.
    public init(
        transport: any Transport, store: any CredentialStore, verifier: any UserVerifier,
        clock: any PushClock = SystemClock(), random: any RandomSource = SystemRandom(),
        device: Device, observer: any PushObserver = SilentObserver()
    ) {
        let pauses = ServerPauses()
        self.pauses = pauses
        watched = WatchedTransport(
            transport, clock: clock, pauses: pauses, observer: observer)
        self.store = store
        self.verifier = verifier
        self.clock = clock
        self.random = random
        self.device = device
        self.observer = observer
    }

    /// The same world as one provider sees it: what servers say to it of their time, and how long they
    /// want to be left alone, counts for this provider and no other.
    ///
    /// A provider takes it where it is made, before it sends anything.
    public func scoped(to provider: ProviderID) -> Environment {
        var copy = self
        copy.watched = watched.scoped(to: provider)
        return copy
    }

    /// The same world for a provider whose server signs its times: no unsigned field of a reply, which
    /// whoever ends TLS could write, tells ``clock`` the server's time.
    ///
    /// Such a provider tells it what it has verified, by
    /// ``ServerTime/note(signed:for:sent:received:)``. Other providers aren't affected.
    public var withSignedTimeOnly: Environment {
        var copy = self
        copy.watched = watched.withoutDates
        return copy
    }

    /// The credentials of one provider, and of no other.
    public func vault(for provider: ProviderID) -> Vault {
        Vault(store: RememberingStore(store, of: identity), provider: provider)
    }
}

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The world, as a provider may use it: every seam in one value.
public struct PushEnvironment: Sendable {
    /// The network. It learns each server's time from the replies that pass, unless
    /// ``withSignedTimeOnly``, and tells ``observer`` of each server that can't be trusted.
    public var transport: any Transport { seams.watched }

    /// Storage. A provider uses its ``vault(for:)`` instead.
    public var store: any CredentialStore { seams.store }

    /// The app's way to prove the user.
    public var verifier: any UserVerifier { seams.verifier }

    /// Time.
    public var clock: any PushClock { seams.clock }

    /// Random bytes.
    public var random: any RandomSource { seams.random }

    /// What a vendor may be told about this device.
    public var device: Device { seams.device }

    /// Hears what is refused or odd.
    public var observer: any PushObserver { seams.observer }

    /// Which servers want to be left alone.
    var pauses: ServerPauses { seams.pauses }

    /// What tells this environment and its copies from others.
    var identity: ObjectIdentifier { ObjectIdentifier(pauses) }

    private let seams: Seams

    /// Creates an environment.
    public init(
        transport: any Transport, store: any CredentialStore, verifier: any UserVerifier,
        clock: any PushClock = SystemClock(), random: any RandomSource = SystemRandom(),
        device: Device, observer: any PushObserver = SilentObserver()
    ) {
        let pauses = ServerPauses(store, clock, observer)
        seams = Seams(
            watched: WatchedTransport(
                transport, clock: clock, pauses: pauses, observer: observer),
            store: store, verifier: verifier, clock: clock, random: random, device: device,
            observer: observer, pauses: pauses)
    }

    private init(_ seams: Seams) {
        self.seams = seams
    }

    /// The same world as one provider sees it. What servers tell this provider of their time, and
    /// how long they ask it to wait, counts for no other provider.
    ///
    /// A provider takes it where it is made, before it sends anything.
    public func scoped(to provider: ProviderID) -> PushEnvironment {
        let watched = seams.watched.scoped(to: provider)
        return PushEnvironment(seams.watching(watched, vault: vault(for: provider)))
    }

    /// The same world for a provider whose server signs its times. Unsigned fields of a reply,
    /// which a gateway that ends TLS could write, don't tell ``clock`` the server's time.
    ///
    /// Such a provider passes on each time that it has verified, by
    /// ``ServerTime/note(signed:for:sent:received:)``. Other providers aren't affected.
    public var withSignedTimeOnly: PushEnvironment {
        PushEnvironment(seams.watching(seams.watched.withoutDates, vault: seams.vault))
    }

    /// The same world for a provider whose vendor documents how its server asks to be left alone.
    ///
    /// Such a pause counts for as long as it says, up to a day, on every device that shares the store.
    /// At any other vendor, and in any other form, a `Retry-After` may be a gateway's: it holds what isn't
    /// the user's own decision, for five minutes at most, and ends with the server's next success.
    ///
    /// - Parameter form: Whether a reply with `Retry-After` has the documented form. The body may be
    ///   anybody's.
    /// - Returns: The environment.
    public func heedingPauses(
        where form: @escaping @Sendable (HTTPResponse, Data) -> Bool
    ) -> PushEnvironment {
        PushEnvironment(seams.watching(seams.watched.documenting(form), vault: seams.vault))
    }

    /// The credentials of one provider, and of no other.
    public func vault(for provider: ProviderID) -> Vault {
        // By bytes, as records are named by them.
        if let own = seams.vault, own.provider.rawValue.hasSameBytes(as: provider.rawValue) {
            return own
        }
        return Vault(store: RememberingStore(store, of: identity), provider: provider)
    }
}

/// What an environment holds, in one place: providers are copied with every message.
private final class Seams: Sendable {
    let watched: WatchedTransport
    let store: any CredentialStore
    let verifier: any UserVerifier
    let clock: any PushClock
    let random: any RandomSource
    let device: Device
    let observer: any PushObserver
    let pauses: ServerPauses

    /// Of the provider that this is scoped to.
    let vault: Vault?

    init(
        watched: WatchedTransport, store: any CredentialStore, verifier: any UserVerifier,
        clock: any PushClock, random: any RandomSource, device: Device,
        observer: any PushObserver, pauses: ServerPauses, vault: Vault? = nil
    ) {
        self.watched = watched
        self.store = store
        self.verifier = verifier
        self.clock = clock
        self.random = random
        self.device = device
        self.observer = observer
        self.pauses = pauses
        self.vault = vault
    }

    /// The same with another view of the network.
    func watching(_ watched: WatchedTransport, vault: Vault?) -> Seams {
        Seams(
            watched: watched, store: store, verifier: verifier, clock: clock, random: random,
            device: device, observer: observer, pauses: pauses, vault: vault)
    }
}

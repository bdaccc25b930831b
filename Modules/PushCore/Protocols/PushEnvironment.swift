public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// All that a provider may use of the world: every seam in one value.
public struct PushEnvironment: Sendable {
    /// The network. It learns each server's time from replies, unless ``withSignedTimeOnly``, and
    /// tells ``observer`` of each untrusted server.
    public var transport: any Transport { seams.value.watched }

    /// Storage. A provider uses its ``accounts(for:)`` instead.
    public var store: any CredentialStore { seams.value.store }

    /// The app's way to prove the user.
    public var verifier: any UserVerifier { seams.value.verifier }

    /// Time.
    public var clock: any PushClock { seams.value.clock }

    /// Random bytes.
    public var random: any RandomSource { seams.value.random }

    /// What a vendor may be told about this device.
    public var device: Device { seams.value.device }

    /// Gets what is refused or odd.
    public var observer: any PushObserver { seams.value.observer }

    /// Which servers want to be left alone.
    var pauses: ServerPauses { seams.value.pauses }

    /// The enrollments' records.
    var documents: Documents { seams.value.documents }

    private var seams: Shared<Seams>

    /// Creates an environment.
    public init(
        transport: any Transport, store: any CredentialStore, verifier: any UserVerifier,
        clock: any PushClock = SystemClock(), random: any RandomSource = SystemRandom(),
        device: Device, observer: any PushObserver = SilentObserver(),
        keyGuard: (any KeyGuard)? = nil
    ) {
        let pauses = ServerPauses(store, clock, observer)
        let exchanges = ExchangeCount()
        seams = Shared(
            Seams(
                watched: WatchedTransport(
                    transport, clock: clock, pauses: pauses, observer: observer,
                    exchanges: exchanges),
                store: store, verifier: verifier, clock: clock, random: random, device: device,
                observer: observer, pauses: pauses,
                documents: Documents(store, random, exchanges, keyGuard)))
    }

    /// The same with another view of the network.
    private func watching(_ change: (inout WatchedTransport) -> Void) -> PushEnvironment {
        var (seams, copy) = (seams.value, self)
        change(&seams.watched)
        copy.seams = Shared(seams)
        return copy
    }

    /// The environment of one provider. Servers' times and the pauses that they ask for count for
    /// this provider alone.
    ///
    /// A provider takes it in its initializer, before it sends anything.
    public func scoped(to provider: ProviderID) -> PushEnvironment {
        watching { $0.provider = provider }
    }

    /// The environment of a provider whose server signs its times. ``clock`` doesn't learn from a
    /// reply's unsigned fields, which a gateway that ends TLS could write.
    ///
    /// Such a provider reports each verified time by
    /// ``ServerTime/note(signed:for:sent:received:)``. Other providers aren't affected.
    public var withSignedTimeOnly: PushEnvironment {
        watching { $0.believesDates = false }
    }

    /// The environment of a provider whose vendor documents how its server asks for a pause.
    ///
    /// Such a pause counts as long as it says, up to a day, in every process that shares the store.
    /// Any other `Retry-After` may be a gateway's: it delays all but the user's own decisions, for
    /// five minutes at most, and ends with the server's next success.
    ///
    /// - Parameter form: Whether a reply with `Retry-After` has the documented form. Anybody may
    ///   have written the body.
    /// - Returns: The environment.
    public func heedingPauses(
        where form: @escaping @Sendable (HTTPResponse, Data) -> Bool
    ) -> PushEnvironment {
        watching { $0.isDocumentedPause = form }
    }

    /// The enrollments of one provider.
    public func accounts(for provider: ProviderID) -> Accounts {
        Accounts(documents, of: provider)
    }
}

private struct Seams: Sendable {
    var watched: WatchedTransport
    let store: any CredentialStore
    let verifier: any UserVerifier
    let clock: any PushClock
    let random: any RandomSource
    let device: Device
    let observer: any PushObserver
    let pauses: ServerPauses
    let documents: Documents
}

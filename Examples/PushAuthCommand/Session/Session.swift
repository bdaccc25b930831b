import Foundation
import PushCore
import PushPlatform

/// The store, the providers and the authenticator over them: what a command works with.
struct Session {
    let environment: Environment
    let linked: LinkedProviders
    let providers: [any PushProvider]
    let authenticator: PushAuthenticator
    /// What of the store turned out to be damaged.
    let damage = Damage()

    /// Opens the store; makes one where there is none.
    ///
    /// - Parameters:
    ///   - options: Where things are.
    ///   - verifier: Who stands in for the user.
    ///   - policies: How the authenticator behaves.
    ///   - cutoff: What breaks off its exchanges.
    ///   - keepsJournal: Whether it is noted which enrollment came of which invitation.
    /// - Throws: `Failure` if the store or the configuration can't be used.
    init(
        _ options: GlobalOptions, verifier: any UserVerifier,
        policies: Policies = Policies(), cutoff: Cutoff = Cutoff(), keepsJournal: Bool = false
    ) async throws(Failure) {
        linked = try options.linkedProviders()
        let configuration = linked.configuration
        let opened = try await StoreAccess(options: options, places: Places()).open()
        let instruments = try options.instruments(linked)
        var transport: any Transport = CutoffTransport(
            base: try Self.transport(options, configuration), cutoff: cutoff)
        var store: any CredentialStore = opened
        for instrument in instruments {
            transport = instrument.around(transport)
            store = instrument.around(store)
        }
        environment = Environment(
            transport: transport,
            store: keepsJournal ? JournalingStore(base: store) : store,
            verifier: verifier,
            device: Device(
                name: configuration.device.name ?? ProcessInfo.processInfo.hostName),
            observer: Observers(all: [damage] + instruments))
        providers = instruments.reduce(try linked.make(in: environment)) { $1.around($0) }
        var policies = policies
        policies.profile = configuration.approvals.profile
        do {
            authenticator = PushAuthenticator(
                try PluginRegistry(providers), in: environment, policies: policies)
        } catch {
            throw Failure(error)
        }
        for instrument in instruments { instrument.watch(authenticator) }
    }

    /// The network as the options and the configuration have it.
    ///
    /// - Throws: `Failure` if others may write the authorities' certificates: whoever does so can be
    ///   any server.
    static func transport(
        _ options: GlobalOptions, _ configuration: Configuration
    ) throws(Failure) -> SystemTransport {
        let authorities = options.authorities ?? configuration.server.authorities
        if let authorities { try TrustedFile(path: authorities, kind: "certificate file").check() }
        let isPlain = options.plainHTTP || configuration.server.plainHTTP ?? false
        return SystemTransport(
            .init(
                plainHTTP: isPlain ? .loopbackOnly : .refused,
                certificateAuthorities: authorities.map { .file($0) } ?? .system,
                pins: configuration.pins.rules))
    }

    func provider(of id: Enrollment.ID) throws(Failure) -> any PushProvider {
        guard let provider = providers.first(where: { $0.id == id.provider }) else {
            throw Failure(
                .notFound, "The provider '\(id.provider.rawValue)' isn't configured.",
                advice: "The configuration needs its section [providers.\(id.provider.rawValue)].")
        }
        return provider
    }
}

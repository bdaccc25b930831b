import Foundation
import PushCore
import PushPlatform
import TerminalIO

/// The store, the providers and the authenticator over them: what a command works with.
struct Session {
    let ground: Ground
    /// Of a fleet.
    let device: FleetDevice?
    let environment: PushEnvironment
    let linked: LinkedProviders
    let providers: [any PushProvider]
    let authenticator: PushAuthenticator
    /// What of the store turned out to be damaged.
    let damage = Damage()

    /// Opens the store; makes one where there is none, unless machines share it.
    ///
    /// - Parameters:
    ///   - options: Where things are, and which device of a fleet is meant.
    ///   - verifier: Who stands in for the user.
    ///   - behavior: How the authenticator behaves.
    ///   - cutoff: What breaks off its exchanges.
    ///   - keepsJournal: Whether it is noted which enrollment came of which invitation.
    /// - Throws: `Failure` if the store or the configuration can't be used.
    init(
        _ options: GlobalOptions, verifier: any UserVerifier,
        behavior: PushConfiguration = PushConfiguration(), cutoff: Cutoff = Cutoff(),
        keepsJournal: Bool = false
    ) async throws(Failure) {
        let ground = try await Ground(options, cutoff: cutoff)
        try self.init(
            on: ground, of: try await ground.device(), verifier: verifier, behavior: behavior,
            keepsJournal: keepsJournal)
    }

    /// Works with what a process has opened already.
    ///
    /// - Parameters:
    ///   - ground: What is open.
    ///   - device: Which device of a fleet; `nil` where there is no fleet.
    ///   - verifier: Who stands in for the user.
    ///   - behavior: How the authenticator behaves.
    ///   - keepsJournal: Whether it is noted which enrollment came of which invitation.
    /// - Throws: `Failure` if the configuration can't be used.
    init(
        on ground: Ground, of device: FleetDevice?, verifier: any UserVerifier,
        behavior: PushConfiguration = PushConfiguration(), keepsJournal: Bool = false
    ) throws(Failure) {
        self.ground = ground
        self.device = device
        linked = ground.linked
        let configuration = linked.configuration
        let store = ground.records(of: device)
        let instruments = ground.instruments
        environment = PushEnvironment(
            transport: ground.transport,
            store: keepsJournal ? JournalingStore(base: store) : store,
            verifier: verifier,
            device: Device(
                name: device?.name ?? configuration.device.name
                    ?? ProcessInfo.processInfo.hostName),
            observer: Observers(all: [damage] + instruments), keyGuard: ground.keyGuard)
        providers = instruments.reduce(try linked.make(in: environment)) { (made, instrument) in
            instrument.around(made)
        }
        var behavior = behavior
        behavior.profile = configuration.approvals.profile
        // A fleet's store keeps every device's records, and their history.
        if device != nil { behavior.retention = Retention(count: 50, rows: 2) }
        do {
            authenticator = PushAuthenticator(
                try PluginRegistry(providers), in: environment, configuration: behavior)
        } catch {
            throw Failure(error)
        }
        for instrument in instruments { instrument.watch(authenticator) }
    }

    /// Where the device tokens of this machine's own device are kept; `nil` for a device of a fleet,
    /// whose tokens are the fleet's.
    var tokenFile: DeviceTokenFile? {
        guard case .directory(let path) = ground.location else { return nil }
        return DeviceTokenFile(besides: path)
    }

    /// The network as the options and the configuration have it.
    ///
    /// - Throws: `Failure` if others may write the authorities' certificates: whoever does so can be
    ///   any server.
    static func transport(
        _ options: GlobalOptions, _ configuration: Configuration
    ) throws(Failure) -> SystemTransport {
        let authorities = options.authorities ?? configuration.server.authorities
        if let authorities { try check(authorities: authorities) }
        let isPlain = options.plainHTTP || configuration.server.plainHTTP ?? false
        return SystemTransport(
            .init(
                plainHTTP: isPlain ? .loopbackOnly : .refused,
                certificateAuthorities: authorities.map { .file($0) } ?? .system,
                pins: configuration.pins.rules))
    }

    private static func check(authorities path: String) throws(Failure) {
        try TrustedFile(path: path, kind: "certificate file").check()
        do {
            var input = try BoundedInput(path, limit: 16 << 20)
            guard try input.all().range(of: Data("CERTIFICATE-----".utf8)) == nil else { return }
        } catch {
            throw Failure(.store, "\(error)")
        }
        throw Failure(
            .store, "The file \(path) holds no certificate.",
            advice: "It must have the authorities' certificates in PEM.")
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

import Foundation
import LocalServer
import PushCore
import PushPlatform
import PushTesting

/// A device with a store of its own.
struct LabDevice: Sendable {
    let environment: PushEnvironment
    let authenticator: PushAuthenticator
    let store: FileStore

    /// Where the store is, and beside it its key.
    let directory: URL

    /// The certificate of who vouches for servers, as a PEM file.
    let authority: String

    private let parts: Parts

    /// What a device is made of.
    struct Parts: Sendable {
        let verifier: any UserVerifier
        let clock: any PushClock
        let log: ExchangeLog
        let plugins: @Sendable (PushEnvironment) -> [any PushProvider]
    }

    /// Gives a device a new store and its plugins.
    ///
    /// - Parameters:
    ///   - parts: What it is made of.
    ///   - authority: Who vouches for servers; it alone is trusted.
    ///   - directory: Where it keeps its store; it is made.
    /// - Throws: What opening the store throws.
    init(_ parts: Parts, trusting authority: LocalAuthority, in directory: URL) async throws {
        self.parts = parts
        self.directory = directory
        self.authority = authority.certificateFile.path
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let place = SoakStore(in: directory)
        try await place.prepare()
        store = try await place.openDirectory()
        environment = Self.environment(parts, store, trusting: self.authority)
        authenticator = try Self.authenticator(parts, in: environment)
    }

    /// An authenticator over the same store that holds servers to pins.
    func authenticator(with pins: ServerPins) throws -> PushAuthenticator {
        try Self.authenticator(
            parts, in: Self.environment(parts, store, trusting: authority, pins: pins))
    }

    /// An authenticator over the same store, as another process that has a name would have it.
    func authenticator(as instance: String) throws -> PushAuthenticator {
        try Self.authenticator(parts, in: environment, as: instance)
    }

    private static func environment(
        _ parts: Parts, _ store: FileStore, trusting authority: String,
        pins: ServerPins = ServerPins()
    ) -> PushEnvironment {
        let configuration = SystemTransport.Configuration(
            plainHTTP: .loopbackOnly, certificateAuthorities: .file(authority), pins: pins)
        return PushEnvironment(
            transport: LoggedTransport(
                transport: SystemTransport(configuration), log: parts.log),
            store: store, verifier: parts.verifier, clock: parts.clock,
            device: Device(name: "push-lab"))
    }

    private static func authenticator(
        _ parts: Parts, in environment: PushEnvironment, as instance: String? = nil
    ) throws -> PushAuthenticator {
        var policies = PushConfiguration()
        policies.instance = instance
        // Not in the background: a row shows what `resume()` does.
        policies.backoff.tries = 0
        // A row sends many pushes one after the other; nobody forges one here.
        policies.hintInterval = .zero
        return PushAuthenticator(
            try PluginRegistry(parts.plugins(environment)), in: environment, configuration: policies
        )
    }
}

import HTTPTypes
public import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One phone with ForgeRock on Apple's push service and XignIn on Google's, which is killed while both
/// device tokens rotate.
public actor TwoServices {
    /// What the servers hold at the end.
    public struct Held: Hashable, Sendable {
        /// AM's device token.
        public let am: DeviceToken?
        /// The manager's device token.
        public let manager: DeviceToken?

        /// Creates a value.
        public init(am: DeviceToken?, manager: DeviceToken?) {
            self.am = am
            self.manager = manager
        }
    }

    private let am: ForgeRockSimulator
    private let manager: XignInSimulator
    private let store = InMemoryStore()
    private let clock: ManualClock
    private var effects = 0
    private var deadline: Int?
    private var killsAfter = false

    /// Creates both servers, and a phone that is enrolled at both.
    public init() async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_760_000_000))
        self.clock = clock
        var configuration = ForgeRockSimulator.Configuration()
        configuration.clock = clock
        am = ForgeRockSimulator(configuration)
        var bank = XignInSimulator.Configuration()
        bank.clock = clock
        manager = XignInSimulator(bank)
        try await am.move(to: "https://am.example.com")
        try await manager.move(to: "https://manager.example.com")
        let phone = try start()
        try await phone.deviceTokenChanged(.apns(hex: "01", isSandbox: false))
        try await phone.deviceTokenChanged(.fcm("first"))
        for invitation in [
            try await am.invitation(for: "ada"), await manager.invitation(for: "ada"),
        ] {
            guard let offer = try phone.offers(for: invitation).first else {
                throw PushError(.notFound, "Nobody knows the invitation.")
            }
            _ = try await phone.enroll(offer)
        }
    }

    /// Rotates tokens in a process that is killed at an effect, then starts another one, which is
    /// given the same tokens as an app gives them at each start.
    ///
    /// - Parameters:
    ///   - tokens: The new tokens, in order.
    ///   - number: The effect, a write or a request, from 0.
    ///   - isAfter: Whether the process dies after the effect, before it can know of it.
    /// - Returns: What the servers hold, and whether the process was killed.
    /// - Throws: What enrolling throws.
    public func rotate(
        _ tokens: [DeviceToken], killedAt number: Int, after isAfter: Bool
    ) async throws -> (held: Held, wasKilled: Bool) {
        effects = 0
        deadline = number
        killsAfter = isAfter
        let first = try start()
        for token in tokens { _ = try? await first.deviceTokenChanged(token) }
        let wasKilled = effects > number
        deadline = nil
        let second = try start()
        for token in tokens { try await second.deviceTokenChanged(token) }
        let held = Held(
            am: await am.devices(of: "ada").first?.deviceToken,
            manager: await manager.devices(of: "ada").first?.deviceToken)
        return (held, wasKilled)
    }

    private func start() throws -> PushAuthenticator {
        let (am, manager) = (am, manager)
        let network = SimulatedTransport { request, body in
            request.authority == "am.example.com"
                ? await am.respond(to: request, body: body)
                : await manager.respond(to: request, body: body)
        }
        let environment = PushEnvironment(
            transport: MortalTransport(life: self, network: network),
            store: MortalStore(life: self, store: store), verifier: ScriptedVerifier.willing(),
            clock: clock, device: Device(name: "phone", platform: .apple))
        var choices = XignIn.Configuration(wireFormat: OpenReferenceWireFormat())
        choices.pinIterations = 1
        var policies = PushConfiguration()
        policies.instance = "app"
        // Nothing goes on behind a process that was killed.
        policies.backoff.tries = 0
        let providers: [any PushProvider] = [
            ForgeRock(in: environment), XignIn(configuration: choices, in: environment),
        ]
        return PushAuthenticator(
            try PluginRegistry(providers), in: environment, configuration: policies)
    }

    /// Lets an effect happen, unless the process is dead or dies before it.
    fileprivate func begin() throws(PushError) {
        defer { effects += 1 }
        guard let deadline, effects > deadline || effects == deadline && !killsAfter else { return }
        throw Self.killed
    }

    /// Lets the process know of an effect, unless it died meanwhile.
    fileprivate func end() throws(PushError) {
        guard let deadline, effects > deadline else { return }
        throw Self.killed
    }

    private static let killed = PushError(.storage, "The process was killed.")
}

private struct MortalStore: CredentialStore {
    let life: TwoServices
    let store: InMemoryStore

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await life.end()
        return try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await life.begin()
        let written = try await store.write(value, for: key, replacing: revision, waits: waits)
        try await life.end()
        return written
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try await life.end()
        try await store.discard(key)
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await life.end()
        return try await store.names(
            in: collection, waiting: waiting, after: name, limit: limit)
    }
}

private struct MortalTransport: Transport {
    let life: TwoServices
    let network: SimulatedTransport

    func send(
        _ request: HTTPRequest, body: Data
    ) async throws(PushError) -> (response: HTTPResponse, body: Data) {
        try await life.begin()
        let reply = try await network.send(request, body: body)
        try await life.end()
        return reply
    }
}

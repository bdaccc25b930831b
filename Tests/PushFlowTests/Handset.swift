import Foundation
import PushCore
import PushPlatform
import PushSimulation
import PushTesting
import Testing

/// A phone: an app and its notification service extension over one keychain, the system's notification
/// center, and a vendor's server.
struct Handset {
    /// What the sender of a push writes into its visible part. Nobody signed it.
    static let sendersWords = "Approve this at once"

    let vendor: Vendor
    let fixtures: VendorFixtures
    let center: SystemCenter
    let keychain: LockableStore
    let faults = FaultPlan()
    let transport: SimulatedTransport
    let flow: PushFlow
    let bursts: BurstPolicy

    var app: PushAuthenticator { flow.authenticator }

    /// A phone whose user has enrolled.
    ///
    /// - Parameters:
    ///   - vendor: Whose.
    ///   - hasServiceExtension: Whether the app has one.
    ///   - seed: What chance begins with.
    ///   - other: The same phone with another vendor.
    ///   - bursts: What the app does when many challenges come.
    /// - Throws: What enrolling throws.
    init(
        _ vendor: Vendor, hasServiceExtension: Bool = true, seed: UInt64 = 5,
        beside other: Handset? = nil, bursts: BurstPolicy = PushConfiguration().bursts
    ) async throws {
        self.vendor = vendor
        self.bursts = bursts
        center = other?.center ?? SystemCenter()
        keychain = other?.keychain ?? LockableStore()
        fixtures = try vendor.fixtures(seed: seed)
        transport = SimulatedTransport(to: fixtures.simulator, faults: faults)
        flow = PushFlow(
            try Self.authenticator("app", fixtures, keychain, transport, bursts), on: center,
            hasServiceExtension: hasServiceExtension)
        try await app.deviceTokenChanged(fixtures.deviceToken)
        let invitation = try await fixtures.simulator.invitation(for: fixtures.users.one)
        let offer = try #require(try app.offers(for: invitation).first)
        let enrollment = try await app.enroll(offer)
        if enrollment.state != .active { _ = try await app.refresh(enrollment.id) }
        try await app.resume()
        _ = await fixtures.simulator.takePushes()
    }

    private static func environment(
        _ fixtures: VendorFixtures, _ store: any CredentialStore, _ transport: any Transport
    ) -> PushEnvironment {
        PushEnvironment(
            transport: transport, store: store,
            verifier: ScriptedVerifier.willing(pin: fixtures.pin), clock: fixtures.clock,
            device: Device(name: "A phone"))
    }

    private static func authenticator(
        _ name: String, _ fixtures: VendorFixtures, _ store: any CredentialStore,
        _ transport: any Transport, _ bursts: BurstPolicy
    ) throws -> PushAuthenticator {
        let environment = environment(fixtures, store, transport)
        var configuration = PushConfiguration()
        configuration.instance = name
        configuration.asksAfterPush = false
        configuration.hintInterval = .zero
        configuration.backoff.tries = 0
        configuration.bursts = bursts
        return PushAuthenticator(
            try PluginRegistry([try fixtures.provider(environment)]), in: environment,
            configuration: configuration)
    }

    /// Whether its vendor lists what waits.
    var hasList: Bool {
        get throws {
            let environment = Self.environment(fixtures, keychain, transport)
            return try fixtures.provider(environment).capabilities.contains(.pendingList)
        }
    }

    /// The app after a restart, or a second app: another process over the same keychain.
    func started(hasServiceExtension: Bool = true) throws -> PushFlow {
        PushFlow(
            try Self.authenticator("app", fixtures, keychain, transport, bursts), on: center,
            hasServiceExtension: hasServiceExtension)
    }

    // MARK: Pushes

    /// A login begins: its push, with words of its sender's in the visible part.
    func login() async throws -> JSON.Object {
        _ = try await fixtures.simulator.startLogin(of: fixtures.users.one, asking: .confirm)
        let push = try #require(await fixtures.simulator.takePushes().last)
        return Self.visible(try #require(try JSON(parsing: push.payload).object))
    }

    /// A push as it comes where the server asks for a visible notification and the extension.
    static func visible(_ payload: JSON.Object, mutable: Bool = true) -> JSON.Object {
        var payload = payload
        var aps = payload["aps"]?.object ?? [:]
        aps["alert"] = ["title": .string(sendersWords), "body": .string(sendersWords)]
        aps["mutable-content"] = mutable ? 1 : nil
        aps["content-available"] = 1
        payload["aps"] = .object(aps)
        return payload
    }

    /// The system starts the extension for a push, and shows what it makes of it.
    @discardableResult
    func runExtension(for payload: JSON.Object) async throws -> SystemCenter.Shown {
        await center.deliver(payload, as: try await content(for: payload))
    }

    /// What the extension makes of a push.
    func content(for payload: JSON.Object) async throws -> NotificationServiceFlow.Content {
        let (contents, continuation) = AsyncStream.makeStream(
            of: NotificationServiceFlow.Content.self)
        let service = NotificationServiceFlow(on: center) { continuation.yield($0) }
        service.receive(
            PostedNotification(identifier: "request", userInfo: payload.foundation, isPush: true)
        ) { [fixtures, keychain, transport, bursts] in
            try Self.authenticator("extension", fixtures, keychain, transport, bursts)
        }
        for await content in contents { return content }
        throw CancellationError()
    }

    // MARK: What the user sees

    /// The notifications that name a challenge which waits.
    var questions: [SystemCenter.Shown] {
        get async { await center.shown.filter { $0.category == "push-auth.question" } }
    }

    /// Whether anything on the screen is the sender's.
    var showsSendersWords: Bool {
        get async {
            await center.shown.contains {
                ($0.title + $0.body).contains(Self.sendersWords)
            }
        }
    }

    /// The challenges that wait by the ledger.
    var open: [Challenge.ID] {
        get async throws { try await app.records().filter { $0.state == .open }.map(\.id) }
    }

    /// Approves what waits, as the user does in the app.
    @discardableResult
    func approve() async throws -> Outcome {
        let id = try #require(try await open.first)
        return try await app.resolve(try await app.challenge(id), with: .approve)
    }
}

/// A keychain before and after the first unlock.
final class LockableStore: CredentialStore {
    private let store = InMemoryStore()
    private let state = Lock()

    func lock() async { await state.set(.everything) }
    func lockWrites() async { await state.set(.writes) }
    func unlock() async { await state.set(.nothing) }

    private func check(isWrite: Bool = false) async throws(PushError) {
        let locked = await state.locked
        guard locked == .nothing || locked == .writes && !isWrite else {
            throw PushError(.storage, "The keychain's reading failed: the device is locked.")
        }
    }

    func read(_ key: RecordKey) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await check()
        return try await store.read(key)
    }

    func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        try await check(isWrite: true)
        return try await store.write(value, for: key, replacing: revision, waits: waits)
    }

    func discard(_ key: RecordKey) async throws(PushError) {
        try await check()
        try await store.discard(key)
    }

    func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        try await check()
        return try await store.names(
            in: collection, waiting: waiting, after: name, limit: limit)
    }
}

private actor Lock {
    enum Locked { case nothing, writes, everything }

    private(set) var locked = Locked.nothing

    func set(_ value: Locked) { locked = value }
}

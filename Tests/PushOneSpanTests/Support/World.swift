import Foundation
import HTTPTypes
import PushCore
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting
import Testing

/// One app, its customer's server, and the platform behind that.
struct World {
    let store: InMemoryStore
    let clock: ManualClock
    let watched: WatchedClock
    let observer = RecordingObserver()
    let user: ScriptedUser
    let faults = FaultPlan()
    let simulator: OneSpanSimulator
    let transport: SimulatedTransport

    /// What ends TLS before the customer's server.
    let gateway: Gateway
    let engine: OpenReferenceEngine
    let provider: OneSpan
    let authenticator: PushAuthenticator

    static let name = "alice"
    static let token = DeviceToken.fcm("APA91b-test-token")

    /// - Parameters:
    ///   - relays: Whether the plugin carries commands; otherwise the app does.
    ///   - hasBiometry: Whether the device has biometry.
    ///   - verifier: Who asks the user, in place of `user`.
    ///   - other: A world whose server, store and clock this one shares: the same app after a
    ///     restart.
    ///   - isSameDevice: Whether it shares the other world's store, too.
    ///   - counted: Where records are kept, in place of ``store``.
    ///   - dropper: What drops the plugin's caches at each call out of it.
    init(
        relays: Bool = true, hasBiometry: Bool = false, user: ScriptedUser = ScriptedUser(),
        verifier: (any UserVerifier)? = nil, sharing other: World? = nil,
        isSameDevice: Bool = true, tries: Int = 1, in counted: (any CredentialStore)? = nil,
        dropping dropper: CacheDropper? = nil
    ) throws {
        let clock = other?.clock ?? ManualClock(Date(timeIntervalSince1970: 1_767_225_000))
        self.clock = clock
        let watched = WatchedClock(clock)
        self.watched = watched
        self.user = user
        store = isSameDevice ? other?.store ?? InMemoryStore() : InMemoryStore()
        let seed: UInt64 = other == nil ? 1 : isSameDevice ? 2 : 3
        simulator =
            other?.simulator
            ?? OneSpanSimulator(.init(clock: clock, random: SeededRandom(seed: 7)))
        transport = SimulatedTransport(to: simulator, faults: faults)
        gateway = Gateway(before: transport)
        var (network, records, asked): (any Transport, any CredentialStore, any UserVerifier) = (
            gateway, counted ?? store, verifier ?? user
        )
        if let dropper {
            network = DroppingTransport(network, dropper)
            records = DroppingStore(records, dropper)
            asked = DroppingUser(asked, dropper)
        }
        let environment = Environment(
            transport: network, store: records, verifier: asked,
            clock: watched, random: SeededRandom(seed: seed),
            device: Device(name: "Phone", platform: .android),
            observer: observer)
        engine = OpenReferenceEngine(
            try .init(
                domain: simulator.domain, serverKeys: [simulator.serverKey], pbkdf2Iterations: 2,
                hasBiometry: hasBiometry),
            in: environment)
        let relay = HTTPCommandRelay(
            try Endpoint("https://app.example.com/commands"), in: environment)
        let used: any OrchestrationEngine =
            if let dropper { DroppingEngine(engine: engine, dropper: dropper) } else { engine }
        provider = OneSpan(
            engine: used,
            relay: relays ? relay : nil,
            configuration: .init(
                identifiers: OpenNotificationIdentifiers(), hasBiometry: hasBiometry, tries: tries),
            in: environment)
        authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
    }

    /// Activates the user, and registers a token unless there is none.
    @discardableResult
    func activate(token: DeviceToken? = World.token) async throws -> Enrollment {
        if let token { try await authenticator.deviceTokenChanged(token) }
        return try await authenticator.enroll(try await offer())
    }

    func offer(password: String? = nil) async throws -> Offer {
        var invitation = try await simulator.invitation(for: Self.name)
        if let password {
            invitation = .credentials(user: Self.name, password: Secret(Array(password.utf8)))
        }
        return try #require(try authenticator.offers(for: invitation).first)
    }

    static func activated(
        relays: Bool = true, hasBiometry: Bool = false, user: ScriptedUser = ScriptedUser()
    ) async throws -> World {
        let world = try World(hasBiometry: hasBiometry, user: user)
        try await world.activate()
        guard !relays else { return world }
        return try World(relays: false, hasBiometry: hasBiometry, user: user, sharing: world)
    }

    /// The push that is waiting; the test fails if there isn't exactly one.
    func push() async throws -> PushMessage {
        let pushes = await simulator.takePushes()
        try #require(pushes.count == 1)
        return try pushes[0].message()
    }

    func command(_ push: PushMessage) throws -> OrchestrationCommand {
        try OneSpanNotification.parseOneSpanNotification(push)
    }

    /// Starts a login, and receives its push.
    func login(_ method: OneSpanSimulator.AuthenticationMethod = .password) async throws -> (
        login: SimulatedLogin, id: Challenge.ID
    ) {
        await simulator.configure { $0.confirmMethod = method }
        let login = try await simulator.startLogin(of: Self.name, asking: .confirm)
        return (login, try await received())
    }

    func received() async throws -> Challenge.ID {
        let receptions = try await authenticator.receive(try await push())
        return try #require(receptions.first?.challenge)
    }

    /// The commands that the server got.
    var sent: Int {
        get async { await simulator.exchanges.filter { $0.request.path == "/commands" }.count }
    }

    /// The commands that the server got, oldest first.
    func commands() async throws -> [String] {
        try await simulator.exchanges.filter { $0.request.path == "/commands" }.map {
            try #require(JSON(parsing: $0.body)["command"]?.string)
        }
    }

    /// Waits until something sleeps for so long.
    func untilAsleep(for duration: Duration) async {
        await watched.untilAsleep(for: duration)
    }

    func enrollment() async throws -> Enrollment {
        try #require(await authenticator.enrollments().first)
    }
}

/// A user who does as told: enters passwords in order, the last one again and again.
actor ScriptedUser: UserVerifier {
    static let password = "135790"

    private var passwords: [String]
    private let isWilling: Bool
    private(set) var requests: [VerificationRequest] = []

    init(_ passwords: String..., isWilling: Bool = true) {
        self.passwords = passwords.isEmpty ? [Self.password] : passwords
        self.isWilling = isWilling
    }

    func will(enter passwords: String...) { self.passwords = passwords }

    func verify(_ request: VerificationRequest) async throws(PushError) -> [Evidence] {
        requests.append(request)
        guard isWilling else { throw PushError(.cancelled, "The user gave up.") }
        let asked = request.alternatives.first ?? []
        return asked.map { factor in
            switch factor {
            case .biometry, .newBiometry: .biometry(nil)
            default: .pin(next())
            }
        }
    }

    private func next() -> Secret {
        let text = passwords.count > 1 ? passwords.removeFirst() : passwords[0]
        return Secret(Array(text.utf8))
    }
}

/// The error that something throws, also by its documented name.
func refusal(
    _ body: () async throws -> Void, fileID: String = #fileID, line: Int = #line
) async throws -> PushError {
    try await PushTesting.refusal(
        {
            do {
                try await body()
            } catch let error as OrchestrationError { throw error.pushError }
        }, fileID: fileID, line: line)
}

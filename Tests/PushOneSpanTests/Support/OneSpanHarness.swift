import Foundation
import HTTPTypes
import PushCore
import PushOneSpanReference
import PushOneSpanSimulator
import PushTesting
import Testing

@testable import PushOneSpan

/// One device of a site's user: everything but the platform and its customer is real.
struct OneSpanHarness {
    let site: Site
    let store: Flash
    let clock: ManualClock
    let watched: WatchedClock
    let observer = RecordingObserver()
    let user: ScriptedUser
    let faults: FaultPlan
    let transport: SimulatedTransport

    /// What ends TLS before the customer's server.
    let gateway: Gateway
    let engine: OpenReferenceEngine
    let provider: OneSpan
    let authenticator: PushAuthenticator
    let token: String
    let setup: Setup

    static let name = Sample.user
    static let token = DeviceToken.fcm("APA91b-test-token")

    var simulator: OneSpanSimulator { site.tenant }
    var environment: PushEnvironment { provider.environment }

    /// What a test may want otherwise.
    struct Setup: Sendable {
        var hasBiometry = false
        /// Where a command is sent once only, a test sees each sending where it makes it.
        var tries = 1
        var domain = Sample.domain
        var iterations = 10
        /// Otherwise the app carries commands through delegates.
        var hasRelay = true
        /// The process's name, under which it goes on at once after it was killed.
        var instance: String?
        /// What the wall clock shows.
        var wall = Site.start
        /// The device's clock, where it isn't one of its own.
        var clock: ManualClock?
        /// Whether pauses pass at once.
        var isHurried = true
        /// Whether anything is tried in the background, and bursts are flagged.
        var hasBackground = false
        /// Where randomness begins; `nil`: anywhere.
        var seed: UInt64?
        /// Who asks the user, in place of ``OneSpanHarness/user``.
        var verifier: (any UserVerifier)?
        /// Where records are kept, in place of ``OneSpanHarness/store``.
        var records: (any CredentialStore)?
        /// What drops the plugin's caches at each call out of it.
        var dropper: CacheDropper?
    }

    private init(
        at site: Site, token: String, _ store: Flash, _ user: ScriptedUser, _ setup: Setup
    ) throws {
        (self.site, self.token, self.store, self.user) = (site, token, store, user)
        self.setup = setup
        let watched = WatchedClock(
            setup.clock ?? ManualClock(setup.wall), isHurried: setup.isHurried)
        let (server, faults) = (site.server, FaultPlan())
        let transport = SimulatedTransport(
            faults: faults, delay: { await watched.sleep(for: $0) },
            server: { await server.respond(to: $0, body: $1) })
        let gateway = Gateway(before: transport)
        (self.watched, clock, self.faults) = (watched, watched.manual, faults)
        (self.transport, self.gateway) = (transport, gateway)
        let records: any CredentialStore = setup.records ?? store
        let asked: any UserVerifier = setup.verifier ?? user
        let random: any RandomSource =
            if let seed = setup.seed { SeededRandom(seed: seed) } else { SystemRandom() }
        let environment = PushEnvironment(
            transport: setup.dropper.map { DroppingTransport(gateway, $0) } ?? gateway,
            store: setup.dropper.map { DroppingStore(records, $0) } ?? records,
            verifier: setup.dropper.map { DroppingUser(asked, $0) } ?? asked, clock: watched,
            random: random, device: Device(name: "Phone", platform: .android), observer: observer)
        let engine = OpenReferenceEngine(
            try .init(
                domain: setup.domain, serverKeys: [site.tenant.serverKey],
                pbkdf2Iterations: setup.iterations, hasBiometry: setup.hasBiometry),
            in: environment)
        self.engine = engine
        let used: any OrchestrationEngine =
            if let dropper = setup.dropper {
                DroppingEngine(engine: engine, dropper: dropper)
            } else { engine }
        let relay = HTTPCommandRelay(try Endpoint(site.commandURL), in: environment)
        provider = OneSpan(
            engine: used,
            relay: setup.hasRelay ? relay : nil,
            configuration: .init(
                identifiers: OpenNotificationIdentifiers(), hasBiometry: setup.hasBiometry,
                tries: setup.tries),
            in: environment)
        var policies = PushConfiguration()
        policies.instance = setup.instance
        if !setup.hasBackground {
            policies.bursts = .off
            policies.backoff.tries = 0
        }
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, configuration: policies)
    }

    /// A device with a clock of its own.
    init(
        _ site: Site, token: String = "token-a", store: Flash = Flash(),
        user: ScriptedUser = .typing(), setup: Setup = Setup()
    ) async throws {
        try self.init(at: site, token: token, store, user, setup)
    }

    /// A device and a platform by one clock, where every random byte is known.
    ///
    /// - Parameters:
    ///   - relays: Whether the plugin carries commands; otherwise the app does.
    ///   - hasBiometry: Whether the device has biometry.
    ///   - user: The user.
    ///   - verifier: Who asks the user, in place of `user`.
    ///   - other: A harness whose server, store and clock this one shares: the same app after a
    ///     restart.
    ///   - isSameDevice: Whether it shares the other harness's store, too.
    ///   - tries: How often a lost exchange is tried.
    ///   - counted: Where records are kept, in place of ``store``.
    ///   - dropper: What drops the plugin's caches at each call out of it.
    /// - Throws: What making its parts throws.
    init(
        relays: Bool = true, hasBiometry: Bool = false, user: ScriptedUser = ScriptedUser(),
        verifier: (any UserVerifier)? = nil, sharing other: OneSpanHarness? = nil,
        isSameDevice: Bool = true, tries: Int = 1, in counted: (any CredentialStore)? = nil,
        dropping dropper: CacheDropper? = nil
    ) throws {
        let site = other?.site ?? Site(seed: 7)
        var setup = Setup()
        (setup.hasRelay, setup.hasBiometry, setup.tries) = (relays, hasBiometry, tries)
        (setup.iterations, setup.isHurried, setup.hasBackground) = (2, false, true)
        setup.clock = site.time
        setup.seed = other == nil ? 1 : isSameDevice ? 2 : 3
        (setup.verifier, setup.records, setup.dropper) = (verifier, counted, dropper)
        let store = isSameDevice ? other?.store ?? Flash() : Flash()
        try self.init(at: site, token: "APA91b-test-token", store, user, setup)
    }

    /// Activates the user, and registers a token unless there is none.
    @discardableResult
    func activate(token: DeviceToken? = OneSpanHarness.token) async throws -> Enrollment {
        if let token { try await authenticator.deviceTokenChanged(token) }
        return try await authenticator.enroll(try await offer())
    }

    func offer(password: String? = nil) async throws -> Invitation.Offer {
        var invitation = try await simulator.invitation(for: Self.name)
        if let password {
            invitation = .credentials(user: Self.name, password: Secret(Array(password.utf8)))
        }
        return try #require(try authenticator.offers(for: invitation).first)
    }

    static func activated(
        relays: Bool = true, hasBiometry: Bool = false, user: ScriptedUser = ScriptedUser()
    ) async throws -> OneSpanHarness {
        let harness = try OneSpanHarness(hasBiometry: hasBiometry, user: user)
        try await harness.activate()
        guard !relays else { return harness }
        return try OneSpanHarness(
            relays: false, hasBiometry: hasBiometry, user: user, sharing: harness)
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

    /// Its user's account, as the core lends it.
    func account() async throws -> Account {
        try await provider.accounts.existing(enrollment().id)
    }
}

extension OneSpan {
    /// Its accounts, as the core has them.
    var accounts: Accounts { environment.accounts(for: id) }
}

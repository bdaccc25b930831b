import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// One app: everything but the vendor is real, and the vendor says what the test wants.
struct ForgeRockHarness: ProviderHarness {
    let store: InMemoryStore

    /// Counts what is asked of the store.
    let counter: CountingStore
    let clock: ManualClock
    let observer = RecordingObserver()
    let verifier: ScriptedVerifier
    let faults = FaultPlan()
    let server = ScriptedServer(AMScript())
    let transport: SimulatedTransport
    let environment: PushEnvironment
    let provider: ForgeRock
    let authenticator: PushAuthenticator

    init(
        mechanism: String = WorkedExample.mechanism,
        configuration: ForgeRock.Configuration = .init(),
        verifier: ScriptedVerifier = .willing(), platform: Device.Platform = .apple,
        sharing other: ForgeRockHarness? = nil
    ) throws {
        let server = server
        store = other?.store ?? InMemoryStore()
        counter = CountingStore(store)
        clock = other?.clock ?? ManualClock(WorkedExample.issued)
        self.verifier = verifier
        transport = SimulatedTransport(faults: faults) {
            await server.respond(to: $0, body: $1)
        }
        environment = PushEnvironment(
            transport: transport, store: counter, verifier: verifier, clock: clock,
            random: RepeatingRandom(uuid: mechanism),
            device: Device(name: WorkedExample.deviceName, platform: platform), observer: observer)
        provider = ForgeRock(configuration: configuration, in: environment)
        authenticator = PushAuthenticator(try PluginRegistry([provider]), in: environment)
    }

    var handler: FRAPushHandler { FRAPushHandler(authenticator) }

    var enrollmentID: Enrollment.ID { Enrollment.ID(WorkedExample.mechanism, of: "forgerock") }

    /// Joins what a code describes.
    @discardableResult
    func enroll(
        _ uri: String, token: DeviceToken? = .apns(hex: WorkedExample.token, isSandbox: false)
    ) async throws -> Enrollment {
        if let token { try await authenticator.deviceTokenChanged(token) }
        return try await enroll(.scanned(text: uri))
    }

    /// A harness that is enrolled as the worked examples are.
    static func enrolled(
        _ code: EnrollmentCode = EnrollmentCode(),
        configuration: ForgeRock.Configuration = .init(),
        verifier: ScriptedVerifier = .willing()
    ) async throws -> ForgeRockHarness {
        let harness = try ForgeRockHarness(configuration: configuration, verifier: verifier)
        try await harness.enroll(code.text)
        return harness
    }

    /// A harness that is enrolled, and whose server has told its time in two replies: one alone ends
    /// nothing.
    static func enrolled(
        at time: String, by now: Date = WorkedExample.issued,
        configuration: ForgeRock.Configuration = .init(refusesLateAnswers: true)
    ) async throws -> ForgeRockHarness {
        let harness = try ForgeRockHarness(configuration: configuration)
        let other = try ForgeRockHarness(mechanism: UUID().uuidString, sharing: harness)
        harness.clock.set(now)
        for harness in [harness, other] { await harness.server.tell(date: time) }
        try await harness.enroll(EnrollmentCode().text)
        try await other.enroll(EnrollmentCode().with(label: "other:account").text)
        return harness
    }

    /// Receives a push that must be AM's.
    func notification(_ push: AMPush) async throws -> PushNotification {
        try #require(await handler.notification(from: push.message()))
    }

    /// Everything the server processed after the registration.
    func posts(key: [UInt8] = WorkedExample.secret) async throws -> [Posted] {
        try await transport.exchanges
            .filter { $0.request.path?.hasSuffix("_action=register") == false }
            .map { try Posted($0, key: key) }
    }

    func lastPost(key: [UInt8] = WorkedExample.secret) async throws -> Posted {
        try #require(await posts(key: key).last)
    }

    /// The challenges the ledger knows.
    func records() async throws -> [ChallengeRecord] { try await authenticator.records() }
}

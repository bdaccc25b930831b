import PushAcme
import PushAcmeSimulator
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushOneSpan
import PushOneSpanReference
import PushOneSpanSimulator
import PushPlusAuth
import PushPlusAuthSimulator
import PushPowerAuth
import PushPowerAuthSimulator
import PushPrivacyIDEA
import PushPrivacyIDEASimulator
import PushTesting
import PushXignIn
import PushXignInReference
import PushXignInSimulator
import Testing

// snippet: phone
/// A phone with one plugin, jane's account, and a network on which a plan says what goes wrong.
func phone(
    at simulator: some VendorSimulator, faults: FaultPlan = FaultPlan(),
    with plugin: (PushEnvironment) -> any PushProvider
) async throws -> PushAuthenticator {
    let environment = PushEnvironment(
        transport: SimulatedTransport(to: simulator, faults: faults), store: InMemoryStore(),
        verifier: ScriptedVerifier.willing(pin: "24680"), device: Device(name: "Test"))
    var configuration = PushConfiguration()
    // A test says itself when to try again, and asks as often as it likes.
    configuration.backoff.tries = 0
    configuration.hintInterval = .zero
    let phone = PushAuthenticator(
        try PluginRegistry([plugin(environment)]), in: environment, configuration: configuration)
    try await phone.deviceTokenChanged(.fcm("token"))
    let invitation = try await simulator.invitation(for: "jane")
    _ = try await phone.enroll(try #require(try phone.offers(for: invitation).first))
    return phone
}

/// Opens what a login has pushed.
func challenge(
    of login: SimulatedLogin, at simulator: some VendorSimulator, on phone: PushAuthenticator
) async throws -> Challenge {
    for push in await simulator.takePushes() { _ = try await phone.receive(push.message()) }
    let waiting = try await phone.unfinishedRecords()
    return try await phone.challenge(try #require(waiting.first).id)
}
// end snippet

/// What the articles of `PushTesting` and of the simulators show.
@Suite(.timeLimit(.minutes(2))) struct `the articles on simulators` {
    @Test func `a lost reply leaves the decision on record`() async throws {
        // snippet: losing
        let simulator = AcmeSimulator()
        let faults = FaultPlan()
        let phone = try await phone(at: simulator, faults: faults) { Acme(in: $0) }
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await challenge(of: login, at: simulator, on: phone)

        await faults.next(.dropAfter)
        _ = try? await phone.resolve(challenge, with: .approve)
        #expect(try await simulator.status(of: login.id) == .approved)
        #expect(try await phone.record(of: challenge.id)?.state == .decided(.approve))

        _ = try await phone.resume()
        #expect(try await simulator.status(of: login.id) == .approved)
        // end snippet
    }

    @Test func `a forged push leaves no record`() async throws {
        // snippet: forgerock
        let simulator = ForgeRockSimulator()
        let phone = try await phone(at: simulator) { ForgeRock(in: $0) }
        let login = try await simulator.startLogin(
            of: "jane", asking: .confirm, spoiledBy: .wrongKey)
        for push in await simulator.takePushes() {
            await #expect(throws: PushError.self) { try await phone.receive(push.message()) }
        }
        #expect(try await phone.records().isEmpty)
        #expect(try await simulator.status(of: login.id) == .waiting)
        // end snippet
    }

    @Test func `a gateway's word isn't the vendor's`() async throws {
        // snippet: plusauth
        let simulator = PlusAuthSimulator()
        var configuration = PlusAuth.Configuration()
        configuration.keyAlgorithm = .es256
        let phone = try await phone(at: simulator) { [configuration] in
            PlusAuth(configuration: configuration, in: $0)
        }
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await challenge(of: login, at: simulator, on: phone)

        await simulator.forceStranger(status: 403)
        _ = try? await phone.resolve(challenge, with: .approve)
        #expect(try await phone.record(of: challenge.id)?.state == .decided(.approve))

        #expect(try await phone.resume()[challenge.id] == .delivered)
        #expect(try await simulator.status(of: login.id) == .approved)
        // end snippet
    }

    @Test func `an answer of a manager that isn't signed by it is refused`() async throws {
        // snippet: xignin
        let simulator = XignInSimulator()
        let phone = try await phone(at: simulator) {
            XignIn(configuration: .init(wireFormat: OpenReferenceWireFormat()), in: $0)
        }
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        for push in await simulator.takePushes() { _ = try await phone.receive(push.message()) }
        let id = try #require(try await phone.unfinishedRecords().first).id

        await simulator.spoil(by: .wrongKey)
        await #expect(throws: PushError.self) { try await phone.challenge(id) }
        #expect(try await phone.record(of: id)?.state == .open)

        let challenge = try await phone.challenge(id)
        #expect(try await phone.resolve(challenge, with: .approve) == .delivered)
        #expect(try await simulator.status(of: login.id) == .approved)
        // end snippet
    }

    @Test func `a push of OneSpan's that arrives twice is one question`() async throws {
        // snippet: onespan
        let simulator = OneSpanSimulator()
        let engine = try await OpenReferenceEngine.Configuration(
            domain: simulator.domain, serverKeys: simulator.serverKeys)
        let commands = try await Endpoint(simulator.commandURL)
        let phone = try await phone(at: simulator) {
            OneSpan(
                engine: OpenReferenceEngine(engine, in: $0),
                relay: HTTPCommandRelay(commands, in: $0),
                configuration: .init(identifiers: OpenNotificationIdentifiers()), in: $0)
        }
        await simulator.next(push: .duplicate)
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await challenge(of: login, at: simulator, on: phone)
        #expect(try await phone.records().count == 1)

        #expect(try await phone.deny(challenge.id, .unexpected) == .delivered)
        #expect(try await simulator.status(of: login.id) == .denied)
        // end snippet
    }

    @Test func `the back office confirms a device, and takes an operation back`() async throws {
        // snippet: powerauth
        let simulator = PowerAuthSimulator()
        let configuration = try await PowerAuthConfiguration(
            sdkConfiguration: simulator.sdkConfiguration,
            enrollmentServer: Endpoint(simulator.origin))
        let phone = try await phone(at: simulator) {
            PowerAuth(configuration: configuration, in: $0)
        }
        let enrollment = try #require(try await phone.enrollments().first)
        for record in await simulator.activations(of: "jane") {
            try await simulator.commit(record.id)
        }
        #expect(try await phone.refresh(enrollment.id).state == .active)
        try await phone.deviceTokenChanged(.fcm("token"))

        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await challenge(of: login, at: simulator, on: phone)
        try await simulator.cancelOperation(login.id)
        for push in await simulator.takePushes() { _ = try await phone.receive(push.message()) }
        await #expect(throws: PushError.self) {
            try await phone.resolve(challenge, with: .approve)
        }
        // end snippet
    }

    @Test func `the relying party finishes a login of privacyIDEA's`() async throws {
        // snippet: privacyidea
        let simulator = PrivacyIDEASimulator(.init(generation: .v313))
        let phone = try await phone(at: simulator) { PrivacyIDEA(in: $0) }
        let login = try await simulator.startLogin(of: "jane", asking: .confirm)
        let challenge = try await challenge(of: login, at: simulator, on: phone)
        #expect(try await phone.resolve(challenge, with: .approve) == .delivered)
        #expect(try await simulator.finish(login.id))
        // end snippet
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import Testing

/// The seam for the vendor's own engine: the documented names over a stand-in for it.
@Suite struct WireFormatTests {
    private let engine = StandInEngine()
    private let keypad = Keypad()
    private let transport = SimulatedTransport { _, _ in
        (HTTPResponse(status: .internalServerError), Data())
    }
    private let authenticator: PushAuthenticator
    private let push: XignPush
    private let door: XignAuthenticator
    private let personalizer: Personalizer

    init() async throws {
        let environment = Environment(
            transport: transport, store: InMemoryStore(), verifier: keypad,
            clock: ManualClock(Date(WorkedExample.now)), random: SeededRandom(seed: 1),
            device: Device(name: "test phone"))
        let configuration = XignIn.Configuration(wireFormat: StandInWireFormat(engine: engine))
        let provider = XignIn(configuration: configuration, in: environment)
        var policies = Policies()
        policies.backoff.tries = 0
        authenticator = PushAuthenticator(
            try PluginRegistry([provider]), in: environment, policies: policies)
        push = XignPush(authenticator, provider: provider)
        door = XignAuthenticator(authenticator, provider: provider)
        personalizer = Personalizer(authenticator, provider: provider)
        let offers = try authenticator.offers(for: .scanned(text: "engine://idm-real"))
        _ = try await authenticator.enroll(try #require(offers.first))
    }

    private func message(_ process: String) async throws -> XignPushMessageAuthentication {
        let data = await engine.push(["idm": "idm-real", "pid": .string(process), "title": "Hello"])
        guard case .authentication(let message) = try await push.handleMessage(data: data) else {
            throw NothingThrown()
        }
        return message
    }

    @Test func `an engine's activation is one of the managers, and gets the token`() async throws {
        let manager = try #require(try await personalizer.getIdentityManagers().first)
        #expect(manager.identifier == "idm-real")
        #expect(manager.account == "alice")
        try await personalizer.updatePushToken(idmIdentifier: "idm-real", token: "t")
        #expect(await engine.activations["idm-real"]?.token == "t")
        try await personalizer.updatePushToken(idmIdentifier: "idm-real", token: nil)
        #expect(await engine.activations["idm-real"]?.token == nil)
    }

    @Test func `a process runs from push to login over an engine, and nothing else is sent`()
        async throws
    {
        let message = try await message("prc-1")
        #expect(message.title == "Hello")
        let data = try await door.fetchPushAuthenticationInitializationData(message: message)
        #expect(data.serviceInformation.name == "Example Shop")
        #expect(await engine.started.isEmpty)
        let request = try await door.startAuthentication(data: data)
        #expect(await engine.started == ["prc-1"])
        await keypad.type(WorkedExample.wrongPIN)
        guard
            case .lockout(let lockout, let again) = try await door.finishAuthentication(
                userInfo: AuthenticationUserInformation(for: request))
        else {
            Issue.record("The PIN is wrong.")
            return
        }
        #expect(lockout.remaining == 2)
        await keypad.type(WorkedExample.pin)
        guard case .userLogin = try await door.finishAuthentication(userInfo: again) else {
            Issue.record("The PIN is right.")
            return
        }
        #expect(await engine.taken == ["prc-1 approve as user"])
        #expect(await transport.exchanges.isEmpty)
    }

    @Test func `a rejection and a cancel go through an engine, too`() async throws {
        try await door.reject(message: try await message("prc-1"), reason: .notMe)
        #expect(await engine.taken == ["prc-1 not_me"])
        let second = try await message("prc-2")
        let data = await engine.push(["idm": "idm-real", "pid": "prc-2", "cancel": true])
        guard case .cancel(let cancel) = try await push.handleMessage(data: data) else {
            Issue.record("It ends a process.")
            return
        }
        #expect(cancel.processId == "prc-2")
        let error = try await sdkError { () async throws(XignSdkError) in
            try await door.reject(message: second)
        }
        #expect(error.errorCode == .processOver)
    }

    @Test func `what an engine refuses is an invalid signature, and OXRW's pushes are nobody's`()
        async throws
    {
        var data = await engine.push(["idm": "idm-real", "pid": "prc-1"])
        data["engine"] = data["engine"].map { "\($0)AA" }
        let error = try await sdkError { () async throws(XignSdkError) in
            _ = try await push.handleMessage(data: data)
        }
        #expect(error.errorCode == .invalidSignature)
        let stranger = await engine.push(["idm": "idm-other", "pid": "prc-1"])
        let unknown = try await sdkError { () async throws(XignSdkError) in
            _ = try await push.handleMessage(data: stranger)
        }
        #expect(unknown.errorCode == .identityManagerNotPersonalized)
        #expect(try await push.handleMessage(data: ["oxrw": "1", "oxrw_msg": "x"]) == nil)
    }

    @Test func `removing ends the activation at an engine's manager`() async throws {
        try await authenticator.remove(Enrollment.ID("idm-real", of: "xignin"))
        #expect(await engine.activations.isEmpty)
        #expect(try await personalizer.getIdentityManagers().isEmpty)
    }
}

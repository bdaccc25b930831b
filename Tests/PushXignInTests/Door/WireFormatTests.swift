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
    private let app: App

    private var authenticator: PushAuthenticator { app.authenticator }
    private var push: XignPush { app.push }
    private var door: XignAuthenticator { app.door }
    private var personalizer: Personalizer { app.personalizer }

    init() async throws {
        app = try App(
            over: transport, user: keypad, clock: ManualClock(Date(WorkedExample.now)),
            .init(configuration: .init(wireFormat: StandInWireFormat(engine: engine))))
        try await app.enroll(.scanned(text: "engine://idm-real"))
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
        #expect(await engine.decisions == ["prc-1 approve as user"])
        #expect(await transport.exchanges.isEmpty)
    }

    @Test func `a rejection and a cancel go through an engine, too`() async throws {
        try await door.reject(message: try await message("prc-1"), reason: .fraud)
        #expect(await engine.decisions == ["prc-1 not_me"])
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

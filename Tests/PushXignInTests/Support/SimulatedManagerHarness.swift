import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// A device, and two simulated managers at which it is personalized.
struct SimulatedManagerHarness {
    static let first = "idm-one"
    static let second = "idm-two"

    let clock = ManualClock(Date(WorkedExample.now))
    let faults = FaultPlan()
    let keypad: Keypad
    let managers: [XignInSimulator]
    let app: App

    init(
        _ configuration: XignIn.Configuration = Phone.quick, keypad: Keypad = Keypad(),
        _ change: (inout XignInSimulator.Configuration) -> Void = { _ in }
    ) async throws {
        self.keypad = keypad
        var managers: [XignInSimulator] = []
        for (index, name) in [Self.first, Self.second].enumerated() {
            var configuration = XignInSimulator.Configuration(
                identifier: name, clock: clock, random: SeededRandom(seed: UInt64(index)))
            change(&configuration)
            let manager = XignInSimulator(configuration)
            try await manager.move(to: "https://\(name).example")
            managers.append(manager)
        }
        self.managers = managers
        let hosts = Dictionary(
            uniqueKeysWithValues: zip(
                ["\(Self.first).example", "\(Self.second).example"], managers)
        )
        let transport = SimulatedTransport(faults: faults) { request, body in
            guard let manager = request.authority.flatMap({ hosts[$0] }) else {
                return (HTTPResponse(status: .badGateway), Data())
            }
            return await manager.respond(to: request, body: body)
        }
        app = try App(
            over: transport, user: keypad, clock: clock,
            .init(configuration: configuration, seed: 3))
        try await app.authenticator.deviceTokenChanged(.fcm(WorkedExample.token))
        for manager in managers {
            try await app.enroll(await manager.invitation(for: "alice"))
        }
    }

    var authenticator: PushAuthenticator { app.authenticator }
    var push: XignPush { app.push }
    var door: XignAuthenticator { app.door }
    var personalizer: Personalizer { app.personalizer }
    var manager: XignInSimulator { managers[0] }

    /// The token that a manager has of this device.
    func token(at index: Int = 0) async -> DeviceToken? {
        await managers[index].devices(of: "alice").first?.deviceToken
    }

    func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

    /// Starts a login; what Firebase would deliver of it.
    func login(
        _ kind: SimulatedLogin.Kind = .confirm, at index: Int = 0,
        spoiledBy fault: XignInSimulator.BadPush? = nil
    ) async throws -> (id: SimulatedLogin.ID, data: [[String: String]]) {
        let login = try await managers[index].startLogin(
            of: "alice", asking: kind, spoiledBy: fault)
        return (login.id, try await delivered(by: index))
    }

    /// What Firebase would deliver now.
    func delivered(by index: Int = 0) async throws -> [[String: String]] {
        try await managers[index].takePushes().map {
            try JSONDecoder().decode([String: String].self, from: $0.payload)
        }
    }

    /// Starts a login and takes its message, as an app's delegate does.
    func message(
        _ kind: SimulatedLogin.Kind = .confirm
    ) async throws -> XignPushMessageAuthentication {
        let data = try #require(try await login(kind).data.first)
        guard case .authentication(let message) = try await push.handleMessage(data: data) else {
            throw NothingThrown()
        }
        return message
    }

    /// What the user agrees to, once a process was fetched and started.
    func userInfo(
        _ message: XignPushMessageAuthentication
    ) async throws -> AuthenticationUserInformation {
        let data = try await door.fetchPushAuthenticationInitializationData(message: message)
        return AuthenticationUserInformation(for: try await door.startAuthentication(data: data))
    }
}

/// The error of the vendor's door that something throws; the test fails if it throws none.
func sdkError(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws(XignSdkError) -> Void
) async throws -> XignSdkError {
    do throws(XignSdkError) {
        try await body()
    } catch {
        return error
    }
    throw NothingThrown()
}

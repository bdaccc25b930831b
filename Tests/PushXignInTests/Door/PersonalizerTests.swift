import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// `Personalizer`: the list of managers, and the push token at each.
@Suite struct PersonalizerTests {
    private let simulated: SimulatedManagerHarness

    init() async throws { simulated = try await SimulatedManagerHarness() }

    private var personalizer: Personalizer { simulated.personalizer }

    private func pushTokens() async throws -> [String: String?] {
        Dictionary(
            uniqueKeysWithValues: try await personalizer.getIdentityManagers().map {
                ($0.identifier, $0.pushToken)
            })
    }

    @Test func `getIdentityManagers lists each with its identifier and its token, oldest first`()
        async throws
    {
        let managers = try await personalizer.getIdentityManagers()
        #expect(
            managers.map(\.identifier) == [
                SimulatedManagerHarness.first, SimulatedManagerHarness.second,
            ])
        #expect(managers.map(\.id) == managers.map(\.identifier))
        #expect(managers.map(\.pushToken) == [WorkedExample.token, WorkedExample.token])
        #expect(managers.map(\.account) == ["alice", "alice"])
        #expect(managers.map(\.host) == ["idm-one.example", "idm-two.example"])
        #expect(managers.allSatisfy { $0.state == .active })
    }

    @Test func `the list of managers is empty before, and whole after`() async throws {
        let harness = try await XignInHarness()
        let managers = try await harness.phone.personalizer.getIdentityManagers()
        #expect(managers.map(\.identifier) == [WorkedExample.idm])
        #expect(managers.first?.pushToken == WorkedExample.token)
        let empty = try Phone([harness.manager])
        #expect(try await empty.personalizer.getIdentityManagers().isEmpty)
    }

    @Test func `updatePushToken sets a token, and changes no other manager's`() async throws {
        try await personalizer.updatePushToken(
            idmIdentifier: SimulatedManagerHarness.first, token: "second")
        #expect(await simulated.token() == .fcm("second"))
        #expect(await simulated.token(at: 1) == .fcm(WorkedExample.token))
        #expect(
            try await pushTokens() == [
                SimulatedManagerHarness.first: "second",
                SimulatedManagerHarness.second: WorkedExample.token,
            ])
    }

    @Test func `updatePushToken with nil takes it away at that manager alone`() async throws {
        try await personalizer.updatePushToken(
            idmIdentifier: SimulatedManagerHarness.first, token: nil)
        #expect(await simulated.token() == nil)
        #expect(await simulated.token(at: 1) == .fcm(WorkedExample.token))
        #expect(
            try await pushTokens() == [
                SimulatedManagerHarness.first: nil,
                SimulatedManagerHarness.second: WorkedExample.token,
            ])
        #expect(try await simulated.login().data.isEmpty)
    }

    @Test func `a manager that isn't personalized has no token to update`() async throws {
        for token in ["second", nil] {
            let error = try await sdkError { () async throws(XignSdkError) in
                try await personalizer.updatePushToken(idmIdentifier: "idm-nobody", token: token)
            }
            #expect(error.errorCode == .identityManagerNotPersonalized)
        }
        #expect(await simulated.token() == .fcm(WorkedExample.token))
        #expect(await simulated.token(at: 1) == .fcm(WorkedExample.token))
    }

    @Test func `a manager that can't be told now is an error, and is told later`() async throws {
        await simulated.faults.next(.status(503)) { $0.authority == "idm-one.example" }
        let error = try await sdkError { () async throws(XignSdkError) in
            try await personalizer.updatePushToken(
                idmIdentifier: SimulatedManagerHarness.first, token: "second")
        }
        #expect(error.errorCode == .communication)
        #expect(error.httpError?.statusCode == 503)
        #expect(await simulated.token() == .fcm(WorkedExample.token))
        try await simulated.authenticator.resume()
        #expect(await simulated.token() == .fcm("second"))
    }

    @Test func `a manager that forgot the activation says so, and stays in the list as such`()
        async throws
    {
        let device = try #require(await simulated.manager.devices(of: "alice").first)
        try await simulated.manager.removeDevice(device.id)
        let error = try await sdkError { () async throws(XignSdkError) in
            try await personalizer.updatePushToken(
                idmIdentifier: SimulatedManagerHarness.first, token: "second")
        }
        #expect(error.errorCode == .identityManagerNotPersonalized)
        #expect(try await personalizer.getIdentityManagers().first?.state == .needsReenrollment)
    }
}

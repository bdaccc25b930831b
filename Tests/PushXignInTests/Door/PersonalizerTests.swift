import Foundation
import HTTPTypes
import PushCore
import PushTesting
import PushXignIn
import PushXignInSimulator
import Testing

/// `Personalizer`: the list of managers, and the push token at each.
@Suite struct PersonalizerTests {
    private let bench: DoorBench

    init() async throws { bench = try await DoorBench() }

    private var personalizer: Personalizer { bench.personalizer }

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
        #expect(managers.map(\.identifier) == [DoorBench.first, DoorBench.second])
        #expect(managers.map(\.id) == managers.map(\.identifier))
        #expect(managers.map(\.pushToken) == [WorkedExample.token, WorkedExample.token])
        #expect(managers.map(\.account) == ["alice", "alice"])
        #expect(managers.map(\.host) == ["idm-one.example", "idm-two.example"])
        #expect(managers.allSatisfy { $0.state == .active })
    }

    @Test func `updatePushToken sets a token, and changes no other manager's`() async throws {
        try await personalizer.updatePushToken(idmIdentifier: DoorBench.first, token: "second")
        #expect(await bench.token() == .fcm("second"))
        #expect(await bench.token(at: 1) == .fcm(WorkedExample.token))
        #expect(
            try await pushTokens() == [
                DoorBench.first: "second", DoorBench.second: WorkedExample.token,
            ])
    }

    @Test func `updatePushToken with nil takes it away at that manager alone`() async throws {
        try await personalizer.updatePushToken(idmIdentifier: DoorBench.first, token: nil)
        #expect(await bench.token() == nil)
        #expect(await bench.token(at: 1) == .fcm(WorkedExample.token))
        #expect(
            try await pushTokens() == [DoorBench.first: nil, DoorBench.second: WorkedExample.token])
        #expect(try await bench.login().data.isEmpty)
    }

    @Test func `a manager that isn't personalized has no token to update`() async throws {
        for token in ["second", nil] {
            let error = try await sdkError { () async throws(XignSdkError) in
                try await personalizer.updatePushToken(idmIdentifier: "idm-nobody", token: token)
            }
            #expect(error.errorCode == .identityManagerNotPersonalized)
        }
        #expect(await bench.token() == .fcm(WorkedExample.token))
        #expect(await bench.token(at: 1) == .fcm(WorkedExample.token))
    }

    @Test func `a manager that can't be told now is an error, and is told later`() async throws {
        await bench.faults.next(.status(503)) { $0.authority == "idm-one.example" }
        let error = try await sdkError { () async throws(XignSdkError) in
            try await personalizer.updatePushToken(idmIdentifier: DoorBench.first, token: "second")
        }
        #expect(error.errorCode == .communication)
        #expect(error.httpError?.statusCode == 503)
        #expect(await bench.token() == .fcm(WorkedExample.token))
        try await bench.authenticator.resume()
        #expect(await bench.token() == .fcm("second"))
    }

    @Test func `a manager that forgot the activation says so, and stays in the list as such`()
        async throws
    {
        let device = try #require(await bench.manager.devices(of: "alice").first)
        try await bench.manager.removeDevice(device.id)
        let error = try await sdkError { () async throws(XignSdkError) in
            try await personalizer.updatePushToken(idmIdentifier: DoorBench.first, token: "second")
        }
        #expect(error.errorCode == .identityManagerNotPersonalized)
        #expect(try await personalizer.getIdentityManagers().first?.state == .needsReenrollment)
    }
}

import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct DeviceTokenTests {
    let handset: Handset

    init() async throws { handset = try await Handset() }

    private func register(_ token: DeviceToken) async throws {
        #expect(try await handset.authenticator.deviceTokenChanged(token).isEmpty)
    }

    @Test func `a token reaches the server under the newer name, with its environment`()
        async throws
    {
        let id = try await handset.activated()
        await handset.simulator.configure { $0.platforms = .newOnly }
        try await register(.apns(hex: String(repeating: "a1b2", count: 16), isSandbox: true))
        var known = try await handset.simulator.activation(id.name)
        #expect(
            known.deviceToken == .apns(hex: String(repeating: "A1B2", count: 16), isSandbox: true))
        try await register(.apns(hex: String(repeating: "a1b2", count: 16), isSandbox: false))
        known = try await handset.simulator.activation(id.name)
        #expect(
            known.deviceToken == .apns(hex: String(repeating: "A1B2", count: 16), isSandbox: false))
        try await handset.authenticator.deviceTokenChanged(.fcm("abc:DEF"), for: id)
        known = try await handset.simulator.activation(id.name)
        #expect(known.deviceToken == .fcm("abc:DEF"))
        #expect(known.registeredPlatform == "fcm")
        #expect(await handset.calls(.registration) == 3)
    }

    @Test(arguments: [
        (DeviceToken.apns(hex: String(repeating: "A1B2", count: 16), isSandbox: false), "ios"),
        (.fcm("abc"), "android"),
    ])
    func `an older server is told the older name, once`(
        _ token: DeviceToken, _ name: String
    ) async throws {
        let id = try await handset.activated()
        await handset.simulator.configure { $0.platforms = .before110 }
        try await register(token)
        let known = try await handset.simulator.activation(id.name)
        #expect(known.registeredPlatform == name)
        #expect(known.deviceToken == token)
        #expect(await handset.calls(.registration) == 2)
        // Those servers know no environments.
        let body = try #require(await handset.transport.exchanges.last).body
        let members = try JSON(parsing: body)["requestObject"]?.object?.members.map(\.name)
        #expect(members == ["platform", "token"])
    }

    @Test func `a request that stays invalid is sent twice, not more`() async throws {
        _ = try await handset.activated()
        await handset.simulator.spoil(
            by: .refusal(status: 400, code: "INVALID_REQUEST"), at: .registration, times: 5)
        let failures = try await handset.authenticator.deviceTokenChanged(.fcm("abc"))
        let error = try #require(failures.values.first)
        #expect(error.code == .server(status: 400))
        #expect(error.underlying as? PowerAuthErrorCode == .invalidRequest)
        #expect(await handset.calls(.registration) == 2)
    }

    @Test func `before the commit the token waits, and nothing but the status is asked`()
        async throws
    {
        let id = try await handset.enrolled().id
        let failures = try await handset.authenticator.deviceTokenChanged(.fcm("abc"))
        #expect(failures[id]?.code == .blocked)
        #expect(try await handset.authenticator.deviceTokenStates()[id] == .waiting)
        #expect(await handset.calls(.tokenCreation) == 0)
        #expect(await handset.calls(.registration) == 0)

        try await handset.simulator.commit(id.name)
        try await handset.authenticator.resume()
        #expect(try await handset.authenticator.deviceTokenStates()[id] == .current)
        #expect(try await handset.simulator.activation(id.name).deviceToken == .fcm("abc"))
    }

    @Test func `no call takes a token away`() async throws {
        let id = try await handset.activated()
        #expect(
            await code { try await handset.provider.enroller.update(nil, for: id) } == .unsupported)
    }
}

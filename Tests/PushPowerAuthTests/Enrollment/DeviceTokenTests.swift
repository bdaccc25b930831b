import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

@testable import PushPowerAuth

@Suite struct DeviceTokenTests {
    let phone: PowerAuthHarness

    init() async throws { phone = try await PowerAuthHarness() }

    private func register(_ token: DeviceToken) async throws {
        #expect(try await phone.authenticator.deviceTokenChanged(token).isEmpty)
    }

    @Test func `a token reaches the server under the newer name, with its environment`()
        async throws
    {
        let id = try await phone.activated()
        await phone.simulator.configure { $0.platforms = .newOnly }
        try await register(.apns(hex: String(repeating: "a1b2", count: 16), isSandbox: true))
        var known = try await phone.simulator.activation(id.name)
        #expect(
            known.deviceToken == .apns(hex: String(repeating: "A1B2", count: 16), isSandbox: true))
        try await register(.apns(hex: String(repeating: "a1b2", count: 16), isSandbox: false))
        known = try await phone.simulator.activation(id.name)
        #expect(
            known.deviceToken == .apns(hex: String(repeating: "A1B2", count: 16), isSandbox: false))
        try await phone.authenticator.deviceTokenChanged(.fcm("abc:DEF"), for: id)
        known = try await phone.simulator.activation(id.name)
        #expect(known.deviceToken == .fcm("abc:DEF"))
        #expect(known.registeredPlatform == "fcm")
        #expect(await phone.calls(.registration) == 3)
    }

    @Test(arguments: [
        (DeviceToken.apns(hex: String(repeating: "A1B2", count: 16), isSandbox: false), "ios"),
        (.fcm("abc"), "android"),
    ])
    func `an older server is told the older name, once`(
        _ token: DeviceToken, _ name: String
    ) async throws {
        let id = try await phone.activated()
        await phone.simulator.configure { $0.platforms = .before110 }
        try await register(token)
        let known = try await phone.simulator.activation(id.name)
        #expect(known.registeredPlatform == name)
        #expect(known.deviceToken == token)
        #expect(await phone.calls(.registration) == 2)
        // Those servers know no environments.
        let body = try #require(await phone.transport.exchanges.last).body
        let members = try JSON(parsing: body)["requestObject"]?.object?.members.map(\.name)
        #expect(members == ["platform", "token"])
    }

    @Test func `a request that stays invalid is sent twice, not more`() async throws {
        _ = try await phone.activated()
        await phone.simulator.spoil(
            by: .refusal(status: 400, code: "INVALID_REQUEST"), at: .registration, times: 5)
        let failures = try await phone.authenticator.deviceTokenChanged(.fcm("abc"))
        let error = try #require(failures.values.first)
        #expect(error.code == .server(status: 400))
        #expect(error.underlying as? PowerAuthErrorCode == .invalidRequest)
        #expect(await phone.calls(.registration) == 2)
    }

    @Test func `before the commit the token waits, and nothing but the status is asked`()
        async throws
    {
        let id = try await phone.enroll().id
        let failures = try await phone.authenticator.deviceTokenChanged(.fcm("abc"))
        #expect(failures[id]?.code == .blocked)
        #expect(try await phone.authenticator.deviceTokenStates()[id] == .waiting)
        #expect(await phone.calls(.tokenCreation) == 0)
        #expect(await phone.calls(.registration) == 0)

        try await phone.simulator.commit(id.name)
        try await phone.authenticator.resume()
        #expect(try await phone.authenticator.deviceTokenStates()[id] == .current)
        #expect(try await phone.simulator.activation(id.name).deviceToken == .fcm("abc"))
    }

    @Test func `no call takes a token away`() async throws {
        let id = try await phone.activated()
        #expect(
            await code {
                try await phone.provider.enroller.update(nil, of: try await phone.account(id))
            } == .unsupported)
    }
}

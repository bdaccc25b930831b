import Foundation
import PushCore
import PushTesting
import Testing

@testable import FictionalVendor

struct DeviceTokenTests {
    @Test func `a new token reaches every enrollment, and is acknowledged`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        #expect(try await authenticator.deviceTokenChanged(.fcm("t1")).isEmpty)
        #expect(await harness.server.tokens == ["ada": "t1", "bob": "t1"])
        #expect(try await authenticator.enrollments().allSatisfy { $0.deviceToken == .fcm("t1") })
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(await harness.server.tokenLog.count == 2)
        try await authenticator.deviceTokenRemoved(of: .fcm)
        #expect(await harness.server.tokens == ["ada": nil, "bob": nil])
    }

    @Test func `whoever couldn't be told is named, and told by resume`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        await harness.faults.next(.dropBefore)
        let failures = try await authenticator.deviceTokenChanged(.fcm("t1"))
        // Both are told at once: either's call may be the one that breaks.
        let untold = try #require(failures.keys.first)
        #expect(failures.mapValues(\.code) == [untold: .interrupted])
        #expect(failures[untold]?.provider == "acme")
        #expect(await harness.server.tokens == [untold == .ada ? "bob" : "ada": "t1"])
        try await harness.authenticator().resume()
        #expect(await harness.server.tokens == ["ada": "t1", "bob": "t1"])
        #expect(try await authenticator.enrollment(untold)?.deviceToken == .fcm("t1"))
    }

    @Test(arguments: [
        DeviceToken.apns(hex: "", isSandbox: true), .apns(hex: "0A0", isSandbox: true),
        .apns(hex: "zz", isSandbox: false), .fcm(""), .fcm("two words"), .fcm("t\n"),
        .fcm("t\u{E9}"), .fcm(String(repeating: "t", count: 1025)),
        .fcm(String(repeating: "t", count: 64 << 10)),
        .apns(hex: String(repeating: "A", count: 1026), isSandbox: true),
    ])
    func `what is no token is refused, and not remembered`(_ token: DeviceToken) async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled()
        let count = await harness.store.count
        #expect(
            await code { try await authenticator.deviceTokenChanged(token) } == .invalidArgument)
        #expect(await harness.store.count == count)
        #expect(await harness.server.tokenLog.isEmpty)
    }

    @Test func `a vendor without a call for it is named`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(capabilities: []))
        let failures = try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(failures.mapValues(\.code) == [.ada: .unsupported])
    }

    @Test func `whoever can't be told by resume either is reported to the observer`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada"], .init(capabilities: []))
        _ = try await authenticator.deviceTokenChanged(.fcm("new"))
        #expect(harness.observer.observations.isEmpty)
        try await authenticator.resume()
        let heard = try #require(harness.observer.observations.first)
        #expect(heard.kind == .refused(.unsupported))
        #expect(heard.provider == "acme")
    }

    @Test func `half an enrollment isn't told before it is confirmed`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(
            ["ada"], .init(state: .pending(.unconfirmed)))
        #expect(try await authenticator.deviceTokenChanged(.fcm("t1")).isEmpty)
        #expect(await harness.server.tokenLog.isEmpty)
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        try await authenticator.resume()
        #expect(await harness.server.tokenLog == ["ada=t1"])
    }

    @Test(.timeLimit(.minutes(10)))
    func `an enrollment that a refresh finds confirmed is told at once`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(
            ["ada"], .init(state: .pending(.unconfirmed)))
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(await harness.server.tokenLog.isEmpty)
        #expect(try await authenticator.refresh(.ada).state == .active)
        try await eventually("It is told.") {
            harness.clock.advance(by: .milliseconds(10))
            return await !harness.server.tokenLog.isEmpty
        }
        #expect(await harness.server.tokenLog == ["ada=t1"])
    }

    @Test func `the newest token wins at every enrollment`() async throws {
        let harness = AuthenticatorHarness()
        let authenticator = try await harness.enrolled(["ada", "bob"])
        let gate = Gate()
        await harness.server.hold("/token", at: gate)
        async let old = authenticator.deviceTokenChanged(.fcm("old"))
        await gate.arrival()
        async let new = authenticator.deviceTokenChanged(.fcm("new"))
        try await eventually("It is on record.") { try await holds(harness, "new") }
        await gate.open()
        _ = try await (old, new)
        #expect(await harness.server.tokens == ["ada": "new", "bob": "new"])
        #expect(try await authenticator.enrollments().allSatisfy { $0.deviceToken == .fcm("new") })
    }

    private func holds(_ harness: AuthenticatorHarness, _ text: String) async throws -> Bool {
        bytes(try await harness.rawStore(), hold: text)
    }

    @Test func `a token survives a restart and goes along with the next enrollment`() async throws {
        let harness = AuthenticatorHarness()
        try await harness.authenticator().deviceTokenChanged(.apns(hex: "AB", isSandbox: true))
        let enrollment = try await harness.authenticator().join("ada")
        #expect(enrollment.deviceToken == .apns(hex: "AB", isSandbox: true))
    }

    @Test func `two processes may set the token at once`() async throws {
        let harness = AuthenticatorHarness()
        let one = try harness.authenticator()
        let two = try harness.authenticator()
        async let first = one.deviceTokenChanged(.fcm("a"))
        async let second = two.deviceTokenChanged(.fcm("b"))
        _ = try await (first, second)
        let enrollment = try await one.join("ada")
        #expect(enrollment.deviceToken == .fcm("a") || enrollment.deviceToken == .fcm("b"))
    }
}

import Foundation
import PushCore
import PushTesting
import Testing

struct DeviceTokenTests {
    @Test func `a new token reaches every enrollment, and is acknowledged`() async throws {
        let world = World()
        let authenticator = try await world.enrolled(["ada", "bob"])
        #expect(try await authenticator.deviceTokenChanged(.fcm("t1")).isEmpty)
        #expect(await world.server.tokens == ["ada": "t1", "bob": "t1"])
        #expect(try await authenticator.enrollments().allSatisfy { $0.deviceToken == .fcm("t1") })
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(await world.server.tokenLog.count == 2)
        try await authenticator.deviceTokenRemoved(of: .fcm)
        #expect(await world.server.tokens == ["ada": nil, "bob": nil])
    }

    @Test func `whoever couldn't be told is named, and told by resume`() async throws {
        let world = World()
        let authenticator = try await world.enrolled(["ada", "bob"])
        await world.faults.next(.dropBefore)
        let failures = try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(failures.mapValues(\.code) == [.ada: .interrupted])
        #expect(failures[.ada]?.provider == "acme")
        #expect(await world.server.tokens == ["bob": "t1"])
        try await world.authenticator().resume()
        #expect(await world.server.tokens == ["ada": "t1", "bob": "t1"])
        #expect(try await authenticator.enrollment(.ada)?.deviceToken == .fcm("t1"))
    }

    @Test(arguments: [
        DeviceToken.apns(hex: "", isSandbox: true), .apns(hex: "0A0", isSandbox: true),
        .apns(hex: "zz", isSandbox: false), .fcm(""), .fcm("two words"), .fcm("t\n"),
    ])
    func `what is no token is refused, and not remembered`(_ token: DeviceToken) async throws {
        let world = World()
        let authenticator = try await world.enrolled()
        let count = await world.store.count
        #expect(
            await code { try await authenticator.deviceTokenChanged(token) } == .invalidArgument)
        #expect(await world.store.count == count)
        #expect(await world.server.tokenLog.isEmpty)
    }

    @Test func `a vendor without a call for it is named`() async throws {
        let world = World()
        let authenticator = try await world.enrolled(["ada"], .init(capabilities: []))
        let failures = try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(failures.mapValues(\.code) == [.ada: .unsupported])
    }

    @Test func `whoever can't be told by resume either is reported to the observer`() async throws {
        let world = World()
        let authenticator = try await world.enrolled(["ada"], .init(capabilities: []))
        _ = try await authenticator.deviceTokenChanged(.fcm("new"))
        #expect(world.observer.observations.isEmpty)
        try await authenticator.resume()
        let heard = try #require(world.observer.observations.first)
        #expect(heard.kind == .refused(.unsupported))
        #expect(heard.provider == "acme")
    }

    @Test func `half an enrollment isn't told before it is confirmed`() async throws {
        let world = World()
        let authenticator = try await world.enrolled(["ada"], .init(state: .pending(.unconfirmed)))
        #expect(try await authenticator.deviceTokenChanged(.fcm("t1")).isEmpty)
        #expect(await world.server.tokenLog.isEmpty)
        _ = try await authenticator.receive(try AcmeWire.ask("1"))
        try await authenticator.resume()
        #expect(await world.server.tokenLog == ["ada=t1"])
    }

    @Test(.timeLimit(.minutes(10)))
    func `an enrollment that a refresh finds confirmed is told at once`() async throws {
        let world = World()
        let authenticator = try await world.enrolled(["ada"], .init(state: .pending(.unconfirmed)))
        try await authenticator.deviceTokenChanged(.fcm("t1"))
        #expect(await world.server.tokenLog.isEmpty)
        #expect(try await authenticator.refresh(.ada).state == .active)
        try await eventually("It is told.") {
            world.clock.advance(by: .milliseconds(10))
            return await !world.server.tokenLog.isEmpty
        }
        #expect(await world.server.tokenLog == ["ada=t1"])
    }

    @Test func `the newest token wins at every enrollment`() async throws {
        let world = World()
        let authenticator = try await world.enrolled(["ada", "bob"])
        let gate = Gate()
        await world.server.hold("/token", at: gate)
        async let old = authenticator.deviceTokenChanged(.fcm("old"))
        await gate.arrival()
        async let new = authenticator.deviceTokenChanged(.fcm("new"))
        try await eventually("It is on record.") { try await holds(world, "new") }
        await gate.open()
        _ = try await (old, new)
        #expect(await world.server.tokens == ["ada": "new", "bob": "new"])
        #expect(try await authenticator.enrollments().allSatisfy { $0.deviceToken == .fcm("new") })
    }

    private func holds(_ world: World, _ text: String) async throws -> Bool {
        bytes(try await world.rawStore(), hold: text)
    }

    @Test func `a token survives a restart and goes along with the next enrollment`() async throws {
        let world = World()
        try await world.authenticator().deviceTokenChanged(.apns(hex: "AB", isSandbox: true))
        let enrollment = try await world.authenticator().join("ada")
        #expect(enrollment.deviceToken == .apns(hex: "AB", isSandbox: true))
    }

    @Test func `two processes may set the token at once`() async throws {
        let world = World()
        let one = try world.authenticator()
        let two = try world.authenticator()
        async let first = one.deviceTokenChanged(.fcm("a"))
        async let second = two.deviceTokenChanged(.fcm("b"))
        _ = try await (first, second)
        let enrollment = try await one.join("ada")
        #expect(enrollment.deviceToken == .fcm("a") || enrollment.deviceToken == .fcm("b"))
    }
}

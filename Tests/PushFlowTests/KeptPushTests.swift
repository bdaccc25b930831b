import Foundation
import PushCore
import PushPlatform
import PushSimulation
import PushTesting
import Testing

/// Pushes that can't be read when they come: before the first unlock, without a network.
struct KeptPushTests {
    @Test(arguments: Vendor.plugins)
    func `before the first unlock a push is kept in a notification, and read afterwards`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor)
        let push = try await phone.login().removing("mutable-content")
        await phone.keychain.lock()
        #expect(await phone.flow.receive(push.foundation) == .kept)
        #expect(await phone.flow.receive(push.foundation) == .kept)
        #expect(await phone.center.shown.map(\.title) == ["Open the app"])
        // Still locked: nothing changes, and nothing is lost.
        await phone.flow.catchUp()
        #expect(await phone.center.shown.count == 1)
        await phone.keychain.unlock()
        // The process that got it may be gone by then.
        await (try phone.started()).catchUp()
        #expect(try await phone.open.count == 1)
        #expect(await phone.questions.count == 1)
        #expect(await phone.center.shown.count == 1)
    }

    @Test func `the extension keeps it, too`() async throws {
        let phone = try await Handset(.forgeRock)
        let push = try await phone.login()
        await phone.keychain.lock()
        #expect(try await phone.runExtension(for: push).title == "Open the app")
        #expect(await phone.flow.receive(push.foundation) == .kept)
        #expect(await phone.center.shown.count == 1)
        await phone.keychain.unlock()
        await phone.flow.enterForeground()
        #expect(await phone.questions.count == 1)
        #expect(await phone.center.shown.count == 1)
    }

    @Test func `a tap on what is kept reads it, and opens its challenge`() async throws {
        let phone = try await Handset(.plusAuth)
        let push = try await phone.login().removing("mutable-content")
        await phone.keychain.lock()
        _ = await phone.flow.receive(push.foundation)
        let kept = try #require(await phone.center.shown.first)
        await phone.center.remove([kept.identifier])
        // The first tap comes while it's still locked.
        guard case .list = await phone.flow.follow(.open, on: kept.posted) else {
            Issue.record("it opens something")
            return
        }
        let again = try #require(await phone.center.shown.first)
        await phone.keychain.unlock()
        await phone.center.remove([again.identifier])
        guard case .open = await phone.flow.follow(.open, on: again.posted) else {
            Issue.record("it opens nothing")
            return
        }
    }

    @Test func `without the user's permission it's kept for as long as the app runs`() async throws
    {
        let phone = try await Handset(.forgeRock)
        await phone.center.forbid()
        let push = try await phone.login().removing("mutable-content")
        await phone.keychain.lock()
        #expect(await phone.flow.receive(push.foundation) == .kept)
        await phone.keychain.unlock()
        await phone.flow.catchUp()
        #expect(try await phone.open.count == 1)
    }

    @Test func `a push whose vendor can't be asked is kept, and asked about later`() async throws {
        let phone = try await Handset(.powerAuth)
        let push = try await phone.login().removing("mutable-content")
        for _ in 0..<8 { await phone.faults.next(.refuse) }
        #expect(await phone.flow.receive(push.foundation) == .kept)
        #expect(await phone.center.shown.map(\.title) == ["Open the app"])
        while await phone.faults.remaining > 0 { await phone.flow.catchUp() }
        await phone.flow.catchUp()
        #expect(await phone.questions.count == 1)
        #expect(await phone.center.shown.count == 1)
    }

    @Test func `a forged push is neither shown nor kept`() async throws {
        let phone = try await Handset(.forgeRock)
        var push = try await phone.login().removing("mutable-content")
        let token = try #require(push["message"]?.string)
        push["message"] = .string(String(token.dropLast(4)) + "AAAA")
        #expect(await phone.flow.receive(push.foundation) == .refused)
        #expect(await phone.center.shown.isEmpty)
        await phone.center.deliver(push)
        await phone.flow.catchUp()
        #expect(await phone.center.shown.isEmpty)
    }

    @Test func `a flood of what can't be read leaves a bounded number of notifications`()
        async throws
    {
        let phone = try await Handset(.forgeRock)
        let push = try await phone.login().removing("mutable-content")
        await phone.keychain.lock()
        for number in 0..<40 {
            var other = push
            other["n"] = .integer(Int64(number))
            _ = await phone.flow.receive(other.foundation)
        }
        #expect(await phone.center.shown.count == 32)
        await phone.keychain.unlock()
        await phone.flow.catchUp()
        #expect(await phone.center.shown.count == 1)
        #expect(await phone.questions.count == 1)
    }
}

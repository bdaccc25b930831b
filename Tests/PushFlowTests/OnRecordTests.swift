import Foundation
import PushCore
import PushPlatform
import PushSimulation
import PushTesting
import Testing

/// What is on record is shown, and once: another process may have found it, and may have ended since.
struct OnRecordTests {
    @Test(arguments: Vendor.plugins)
    func `what a process put on record before it ended is shown, quietly and once`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor)
        let push = try await phone.login()
        // It ends between its record and its notification.
        _ = try await phone.app.receive(try PushMessage(userInfo: push.foundation))
        #expect(await phone.center.shown.isEmpty)
        let restarted = try phone.started()
        await restarted.start()
        #expect(await phone.questions.map(\.interruption) == [.passive])
        // What the user then swipes away stays away.
        await phone.center.dismissAll()
        await restarted.catchUp()
        #expect(await phone.center.shown.isEmpty)
        #expect(try await phone.open.count == 1)
    }

    @Test(arguments: Vendor.plugins)
    func `nothing rings twice`(vendor: Vendor) async throws {
        let phone = try await Handset(vendor)
        await phone.flow.start()
        let push = try await phone.login().removing("mutable-content")
        #expect(await phone.flow.receive(push.foundation) == .new)
        await phone.flow.catchUp()
        await phone.flow.enterForeground()
        #expect(await phone.center.history.count == 1)
    }

    @Test(arguments: Vendor.plugins)
    func `what the system rang for doesn't ring again`(vendor: Vendor) async throws {
        let phone = try await Handset(vendor, hasServiceExtension: false)
        await phone.flow.start()
        let push = try await phone.login()
        await phone.center.deliver(push)
        #expect(await phone.flow.receive(push.foundation) == .new)
        #expect(await phone.questions.map(\.interruption) == [.passive])
        await phone.center.deliver(try await phone.login())
        await phone.flow.enterForeground()
        #expect(await phone.questions.count == 2)
        // Where the vendor has a list, that may have told of it first.
        let hasList = try phone.hasList
        #expect(
            await phone.questions.map(\.interruption) == [.passive, .passive] || hasList)
        #expect(await !phone.showsSendersWords)
    }

    @Test(arguments: Vendor.plugins)
    func `what was left to an extension that failed is shown in the foreground`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor)
        await phone.flow.start()
        let push = try await phone.login()
        #expect(await phone.flow.receive(push.foundation) == .new)
        #expect(await phone.center.shown.isEmpty)
        // The system hands over the push as it came, as the extension has crashed.
        let raw = PostedNotification(identifier: "1", userInfo: push.foundation, isPush: true)
        try await phone.flow.willPresent(raw).read()
        try await phone.flow.willPresent(raw).read()
        #expect(await phone.questions.map(\.interruption) == [.timeSensitive])
        #expect(await phone.center.history.count == 1)
    }

    @Test(arguments: Vendor.plugins, [true, false])
    func `in the foreground it's told aloud and once, whichever callback comes first`(
        vendor: Vendor, isReceivedFirst: Bool
    ) async throws {
        let phone = try await Handset(vendor, hasServiceExtension: false)
        await phone.flow.start()
        let push = try await phone.login()
        let raw = PostedNotification(identifier: "1", userInfo: push.foundation, isPush: true)
        if isReceivedFirst { _ = await phone.flow.receive(push.foundation) }
        try await phone.flow.willPresent(raw).read()
        if !isReceivedFirst { _ = await phone.flow.receive(push.foundation) }
        try await phone.flow.willPresent(raw).read()
        await phone.flow.catchUp()
        #expect(await phone.questions.map(\.interruption) == [.timeSensitive])
    }

    @Test func `what was opened by a tap isn't shown again`() async throws {
        let phone = try await Handset(.forgeRock)
        try await phone.runExtension(for: try await phone.login())
        let question = try #require(await phone.questions.first)
        await phone.center.remove([question.identifier])
        let restarted = try phone.started()
        _ = await restarted.follow(.open, on: question.posted)
        await restarted.start()
        #expect(await phone.center.shown.isEmpty)
    }

    @Test(arguments: ["news/today/1", "forgerock/C84709D5/a9bb", "a/b/c"])
    func `the app's own notification stays, whatever it is called`(name: String) async throws {
        let phone = try await Handset(.forgeRock)
        let own = PostedNotification(identifier: name, category: "news")
        await phone.center.put(own)
        await phone.flow.start()
        #expect(await phone.center.posted().map(\.identifier) == [name])
        #expect(await phone.flow.willPresent(own) == .notOurs)
        guard case .notOurs = await phone.flow.follow(.open, on: own) else {
            Issue.record("a tap on the app's own was taken")
            return
        }
    }

    @Test func `of several in one push the extension shows one in it, and the others beside it`()
        async throws
    {
        let phone = try await Handset(.powerAuth)
        await phone.flow.start()
        _ = try await phone.login()
        let push = try await phone.login()
        try await phone.runExtension(for: push)
        #expect(await phone.questions.count == 2)
        #expect(await phone.flow.receive(push.foundation) == .nothingNew)
        #expect(await phone.center.history.count == 2)
    }

    @Test func `the app shows the others, and leaves that one to its extension`() async throws {
        let phone = try await Handset(.powerAuth)
        await phone.flow.start()
        _ = try await phone.login()
        let push = try await phone.login()
        #expect(await phone.flow.receive(push.foundation) == .new)
        #expect(await phone.questions.count == 1)
        try await phone.runExtension(for: push)
        #expect(await phone.questions.count == 2)
        #expect(Set(await phone.questions.map(\.isPush)) == [true, false])
    }

    @Test func `what is held back of a burst is silent in the extension, and not shown by the app`()
        async throws
    {
        let bursts = BurstPolicy.quiet(.init(count: 2, window: .seconds(600)))
        let phone = try await Handset(.forgeRock, bursts: bursts)
        let enrollment = try #require(try await phone.app.enrollments().first).id
        await phone.flow.start()
        var shown: [SystemCenter.Shown] = []
        for _ in 0..<4 {
            #expect(await phone.app.burst(at: enrollment) == (shown.count <= 2 ? nil : shown.count))
            shown.append(try await phone.runExtension(for: try await phone.login()))
        }
        #expect(shown.first?.interruption == .timeSensitive)
        #expect(shown.last?.interruption == .passive)
        #expect(shown.last?.body.contains("4") == true)
        await phone.center.dismissAll()
        let last = try await phone.login().removing("mutable-content")
        _ = await phone.flow.receive(last.foundation)
        await phone.flow.catchUp()
        let interruptions = await phone.center.shown.map(\.interruption)
        #expect(!interruptions.contains(.timeSensitive))
        #expect(try await phone.open.count == 5)
    }

    @Test func `a push is read though an earlier catching up still waits for a vendor`()
        async throws
    {
        let both = try await TwoVendors(hasServiceExtension: false)
        let first = Task { await both.flow.catchUp() }
        await both.hanging.arrival()
        await both.phone.center.deliver(try await both.other.login())
        let second = Task { await both.flow.catchUp() }
        await both.isOnRecord()
        // The system ends a background task: it hears at once that the app is done.
        second.cancel()
        _ = await second.value
        await both.hanging.open()
        _ = await first.value
        #expect(await !both.phone.showsSendersWords)
    }

    @Test func `a push that is left to the extension holds no other's notification back`()
        async throws
    {
        let both = try await TwoVendors(hasServiceExtension: true)
        let left = try await both.phone.login()
        let leaving = Task { await both.flow.receive(left.foundation) }
        await both.hanging.arrival()
        let push = try await both.other.login().removing("mutable-content")
        #expect(await both.flow.receive(push.foundation) == .new)
        #expect(await both.phone.questions.count == 1)
        await both.hanging.open()
        _ = await leaving.value
    }

    @Test func `an app that shows lists hears of changes`() async throws {
        let phone = try await Handset(.forgeRock)
        await phone.flow.start()
        var changes = await phone.flow.changes().makeAsyncIterator()
        await changes.next()
        let push = try await phone.login().removing("mutable-content")
        _ = await phone.flow.receive(push.foundation)
        await changes.next()
        #expect(try await phone.open.count == 1)
    }

    @Test func `a token that couldn't be remembered is told again`() async throws {
        let phone = try await Handset(.forgeRock)
        let (older, newer) = (
            DeviceToken.apns([1, 2], isSandbox: true), DeviceToken.apns([3, 4], isSandbox: true)
        )
        await phone.keychain.lock()
        for token in [older, newer] {
            await #expect(throws: PushError.self) { try await phone.flow.register(token) }
        }
        await phone.flow.catchUp()
        await phone.keychain.unlock()
        await phone.flow.catchUp()
        #expect(try await phone.app.enrollments().first?.deviceToken == newer)
    }

    @Test func `a gateway's reply that can't be read says nothing of the push`() async throws {
        let phone = try await Handset(.powerAuth)
        let push = try await phone.login().removing("mutable-content")
        for _ in 0..<4 { await phone.faults.next(.truncate(1)) }
        #expect(await phone.flow.receive(push.foundation) == .kept)
        while await phone.faults.remaining > 0 { await phone.flow.catchUp() }
        await phone.flow.catchUp()
        #expect(await phone.questions.count == 1)
    }
}

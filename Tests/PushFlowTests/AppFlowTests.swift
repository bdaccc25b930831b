import Foundation
import PushCore
import PushPlatform
import PushSimulation
import PushTesting
import Testing

/// The app's half: what it was woken for, what it found, what was there already.
struct AppFlowTests {
    @Test(arguments: Vendor.plugins)
    func `a push in the background is a notification before the system hears of new data`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor)
        let push = try await phone.login().removing("mutable-content")
        #expect(await phone.flow.receive(push.foundation) == .new)
        #expect(await phone.questions.count == 1)
        #expect(await !phone.showsSendersWords)
        #expect(await phone.flow.receive(push.foundation) == .nothingNew)
        #expect(await phone.questions.count == 1)
    }

    @Test(arguments: Vendor.plugins)
    func `a push in the foreground shows its own notification, and not the sender's words`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor, hasServiceExtension: false)
        let push = try await phone.login()
        let raw = PostedNotification(identifier: "1", userInfo: push.foundation, isPush: true)
        try await phone.flow.willPresent(raw).read()
        let own = try #require(await phone.center.shown.first)
        #expect(await phone.flow.willPresent(own.posted) == .show)
        #expect(await phone.questions.count == 1)
    }

    @Test(arguments: Vendor.plugins)
    func `a push that the system showed while the app was away is read at the next start`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor, hasServiceExtension: false)
        await phone.center.deliver(try await phone.login())
        #expect(await phone.showsSendersWords)
        let restarted = try phone.started(hasServiceExtension: false)
        #expect(await restarted.start().isEmpty)
        #expect(try await phone.open.count == 1)
        #expect(await phone.questions.count == 1)
        #expect(await !phone.showsSendersWords)
        #expect(try await phone.approve() == .delivered)
    }

    @Test(arguments: Vendor.plugins)
    func `the same at each return to the foreground`(vendor: Vendor) async throws {
        let phone = try await Handset(vendor, hasServiceExtension: false)
        await phone.flow.start()
        await phone.flow.enterBackground()
        await phone.center.deliver(try await phone.login())
        await phone.flow.enterForeground()
        #expect(try await phone.open.count == 1)
        #expect(await phone.questions.count == 1)
        #expect(await !phone.showsSendersWords)
    }

    @Test func `the app's own pushes are left to it, in every callback`() async throws {
        let phone = try await Handset(.forgeRock, hasServiceExtension: false)
        let own: JSON.Object = ["aps": ["alert": "Lunch?", "mutable-content": 1], "room": 7]
        #expect(await phone.flow.receive(own.foundation) == .notOurs)
        let shown = await phone.center.deliver(own)
        #expect(await phone.flow.willPresent(shown.posted) == .notOurs)
        guard case .notOurs = await phone.flow.follow(.open, on: shown.posted) else {
            Issue.record("a tap on the app's own was taken")
            return
        }
        let local = PostedNotification(identifier: "lunch", category: "lunch")
        #expect(await phone.flow.willPresent(local) == .notOurs)
        guard case .notOurs = await phone.flow.follow(.open, on: local) else {
            Issue.record("a tap on the app's own was taken")
            return
        }
        await phone.flow.catchUp()
        #expect(await phone.center.shown.map(\.title) == ["Lunch?"])
        guard case .original = try await phone.content(for: own) else {
            Issue.record("the extension changed the app's own push")
            return
        }
    }

    @Test func `what JSON can't hold, and what is huge, is the app's own`() async throws {
        let phone = try await Handset(.forgeRock)
        let odd: [[AnyHashable: Any]] = [
            ["date": Date()], [7: "seven"], ["nested": ["deep": [Data()]]],
            ["aps": ["alert": ["title": NSObject()]]],
        ]
        for userInfo in odd { #expect(await phone.flow.receive(userInfo) == .notOurs) }
        let huge: JSON.Object = [
            "aps": ["alert": "x"], "blob": .string(String(repeating: "x", count: 5 << 20)),
        ]
        #expect(await phone.flow.receive(huge.foundation) == .notOurs)
        // A plugin's form, and far beyond what a push service carries: it's refused, and not kept.
        var large = try await phone.login()
        large["blob"] = .string(String(repeating: "x", count: 5 << 20))
        await phone.keychain.lock()
        _ = await phone.flow.receive(large.foundation)
        #expect(await phone.center.shown.isEmpty)
    }

    @Test(arguments: Vendor.plugins)
    func `what was answered, and what ended while the app was away, loses its notification`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor)
        try await phone.runExtension(for: try await phone.login())
        #expect(await phone.questions.count == 1)
        // Another process answers, such as the app before a restart.
        #expect(try await phone.approve() == .delivered)
        #expect(await phone.questions.count == 1)
        await (try phone.started()).start()
        #expect(await phone.questions.isEmpty)
    }

    @Test func `a vendor that doesn't answer keeps no other push from being read`() async throws {
        let both = try await TwoVendors(hasServiceExtension: false)
        await both.phone.center.deliver(try await both.phone.login())
        await both.phone.center.deliver(try await both.other.login())
        let catchingUp = Task { await both.flow.catchUp() }
        await both.hanging.arrival()
        await both.isOnRecord()
        let records = try await both.flow.authenticator.records()
        #expect(records.map(\.id.enrollment.provider) == ["forgerock"])
        await both.hanging.open()
        _ = await catchingUp.value
        #expect(await !both.phone.showsSendersWords)
    }

    @Test func `a device token reaches the vendor, Apple's and Firebase's alike`() async throws {
        let phone = try await Handset(.forgeRock)
        let apple = DeviceToken.apns([0x0A, 0xFF], isSandbox: true)
        #expect(apple == .apns(hex: "0AFF", isSandbox: true))
        #expect(try await phone.flow.register(apple).isEmpty)
        #expect(try await phone.app.enrollments().first?.deviceToken == apple)
        await #expect(throws: PushError.self) {
            try await phone.flow.register(.apns(hex: "no", isSandbox: false))
        }
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushPlatform
import PushSimulation
import PushTesting
import Testing

/// The extension's half: whose words it shows, and when.
struct ServiceExtensionTests {
    @Test(arguments: Vendor.plugins)
    func `a login shows verified words, and stays time-sensitive`(vendor: Vendor) async throws {
        let phone = try await Handset(vendor)
        let shown = try await phone.runExtension(for: try await phone.login())
        #expect(shown.category == "push-auth.question")
        #expect(shown.interruption == .timeSensitive)
        #expect(await !phone.showsSendersWords)
        #expect(try await phone.open.count == 1)
    }

    @Test(arguments: Vendor.plugins)
    func `no push of a plugin's form shows its sender's words, whatever becomes of it`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor)
        let push = try await phone.login()
        let elsewhere = try await Handset(vendor, seed: 6)
        try await phone.runExtension(for: push)
        try await phone.runExtension(for: push)
        try await phone.approve()
        // Again after the answer; another device's; and with each member spoiled.
        try await phone.runExtension(for: push)
        try await phone.runExtension(for: try await elsewhere.login())
        for member in push.members where member.name != "aps" {
            for other: JSON in ["", "x", 7, [:]] {
                var spoiled = push
                spoiled[member.name] = other
                guard try phone.app.isKnown(spoiled) else { continue }
                try await phone.runExtension(for: spoiled)
            }
        }
        #expect(await !phone.showsSendersWords)
    }

    @Test func `an inbox push, a status push and an end show the app's words`()
        async throws
    {
        let phone = try await Handset(.powerAuth)
        let activation = try #require(try await phone.app.enrollments().first).id.name
        let types = ["mtoken.inboxMessage.new", "mtoken.operationFinished", "mtoken.statusChange"]
        for type in types {
            let push: JSON.Object = [
                "messageType": .string(type), "inboxId": "none", "operationName": "login",
                "operationId": "7f9d3b2c-30b6-4b1e-9d1a-5d8d5a1f6c01",
                "activationId": .string(activation), "mtokenOperationResult": "authentication.fail",
            ]
            try await phone.runExtension(for: Handset.visible(push))
        }
        #expect(await phone.center.shown.count == 3)
        #expect(await !phone.showsSendersWords)
    }

    @Test func `a push that imitates this installation's notifications shows the app's words`()
        async throws
    {
        let phone = try await Handset(.forgeRock)
        try await phone.runExtension(for: try await phone.login())
        let challenge = try #require(try await phone.open.first)
        var forged = Handset.visible([
            "push-auth.challenge": .string(challenge.notificationIdentifier),
            "push-auth.seal": .string(Data(repeating: 1, count: 32).base64EncodedString()),
        ])
        forged["aps"] = [
            "alert": .string(Handset.sendersWords), "category": "push-auth.question",
            "mutable-content": 1,
        ]
        let shown = try await phone.runExtension(for: forged)
        #expect(shown.category == "push-auth.unread")
        #expect(await !phone.showsSendersWords)
        // In the foreground it's not shown, and it stands for no notification of the challenge.
        #expect(await phone.flow.willPresent(shown.posted) == .hide)
        #expect(await phone.questions.count == 1)
    }

    // MARK: In time

    @Test(arguments: [Vendor.powerAuth, .privacyIDEA])
    func `it answers within the system's last call, once, though the vendor hangs`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor)
        let push = try await phone.login()
        let gate = Gate()
        let hanging = SimulatedTransport { _, _ in
            await gate.pass()
            return (.init(status: 503), Data())
        }
        let delivered = Locked<[String]>([])
        let service = NotificationServiceFlow(on: phone.center) { content in
            delivered.withLock { $0.append("\(content)") }
        }
        let fixtures = phone.fixtures
        let store = phone.keychain
        let hasStarted = Locked(false)
        service.receive(
            PostedNotification(identifier: "1", userInfo: push.foundation, isPush: true)
        ) {
            hasStarted.withLock { $0 = true }
            return try Self.slow(fixtures, store, hanging)
        }
        if vendor == .powerAuth { await gate.arrival() }
        while !hasStarted.withLock({ $0 }) { await Task.yield() }
        service.timeWillExpire()
        let first = delivered.withLock(\.self)
        #expect(first.count == 1)
        service.timeWillExpire()
        await gate.open()
        #expect(delivered.withLock(\.self) == first)
    }

    private static func slow(
        _ fixtures: VendorFixtures, _ store: any CredentialStore, _ transport: SimulatedTransport
    ) throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: transport, store: store, verifier: NobodyToAsk(), clock: fixtures.clock,
            device: Device(name: "A phone"))
        return PushAuthenticator(
            try PluginRegistry([try fixtures.provider(environment)]), in: environment)
    }

    @Test(arguments: Vendor.plugins)
    func `a push whose time ran out stays in its notification, and the app reads it later`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor)
        let push = try await phone.login()
        let (contents, continuation) = AsyncStream.makeStream(
            of: NotificationServiceFlow.Content.self)
        let service = NotificationServiceFlow(on: phone.center) { continuation.yield($0) }
        service.timeWillExpire()
        for await content in contents {
            await phone.center.deliver(push, as: content)
            break
        }
        #expect(await !phone.showsSendersWords)
        #expect(try await phone.open.isEmpty)
        await phone.flow.enterForeground()
        #expect(try await phone.open.count == 1)
        #expect(await phone.questions.count == 1)
        #expect(await phone.center.shown.count == 1)
    }

    @Test func `an extension that can't make its authenticator shows the app's words`() async throws
    {
        let phone = try await Handset(.forgeRock)
        let (contents, continuation) = AsyncStream.makeStream(
            of: NotificationServiceFlow.Content.self)
        let service = NotificationServiceFlow(on: phone.center) { continuation.yield($0) }
        let push = try await phone.login()
        service.receive(
            PostedNotification(identifier: "1", userInfo: push.foundation, isPush: true)
        ) { throw CancellationError() }
        for await content in contents {
            guard case .unread(let notification) = content else { break }
            #expect(notification.title == "Open the app")
            return
        }
        Issue.record("something else was shown")
    }

    // MARK: One login, one notification

    @Test(arguments: Vendor.plugins, [true, false])
    func `app and extension that get one push show it once`(
        vendor: Vendor, extensionFirst: Bool
    ) async throws {
        let phone = try await Handset(vendor)
        await phone.flow.start()
        let push = try await phone.login()
        if extensionFirst {
            try await phone.runExtension(for: push)
            #expect(await phone.flow.receive(push.foundation) == .nothingNew)
        } else {
            #expect(await phone.flow.receive(push.foundation) == .new)
            // It is the extension's to show: the system shows what that makes of it in any case.
            #expect(await phone.center.shown.isEmpty)
            try await phone.runExtension(for: push)
        }
        #expect(await phone.questions.count == 1)
        await phone.flow.enterForeground()
        #expect(await phone.questions.count == 1)
    }

    @Test(arguments: Vendor.plugins, 0..<4)
    func `the same where they get it at the same moment`(vendor: Vendor, round: Int) async throws {
        let phone = try await Handset(vendor, seed: UInt64(round + 10))
        await phone.flow.start()
        let push = try await phone.login()
        async let extensions = phone.runExtension(for: push)
        async let apps = phone.flow.receive(push.foundation)
        _ = try await (extensions, apps)
        #expect(await phone.questions.count == 1)
        #expect(await phone.center.history.count == 1)
    }

    @Test func `what the app found first gives way to the extension's notification`() async throws {
        let phone = try await Handset(.powerAuth)
        await phone.flow.start()
        let push = try await phone.login()
        await phone.flow.enterForeground()
        #expect(await phone.questions.map(\.isPush) == [false])
        try await phone.runExtension(for: push)
        #expect(await phone.questions.map(\.isPush) == [true])
        await phone.flow.enterForeground()
        #expect(await phone.questions.map(\.isPush) == [true])
    }

    @Test func `two extensions at once show one login in two pushes once`() async throws {
        let phone = try await Handset(.forgeRock)
        let push = try await phone.login()
        try await phone.runExtension(for: push)
        try await phone.runExtension(for: push)
        #expect(await phone.questions.count == 1)
        let (first, second) = (try await phone.login(), try await phone.login())
        async let one = phone.runExtension(for: first)
        async let other = phone.runExtension(for: second)
        _ = try await (one, other)
        #expect(await phone.questions.count == 3)
        #expect(try await phone.open.count == 3)
    }
}

import Foundation
import PushCore
import PushPlatform
import PushSimulation
import PushTesting
import Testing

/// What taps lead to, and what happens before the system hears that the app is done.
struct TapTests {
    @Test(arguments: Vendor.plugins)
    func `a tap on a push that the system showed by itself opens its challenge`(
        vendor: Vendor
    ) async throws {
        let phone = try await Handset(vendor, hasServiceExtension: false)
        let shown = await phone.center.deliver(try await phone.login())
        await phone.center.remove([shown.identifier])
        guard case .open(let challenge) = await phone.flow.follow(.open, on: shown.posted) else {
            Issue.record("nothing opens")
            return
        }
        #expect(try await phone.open == [challenge])
        // It's on the screen, so nothing rings.
        #expect(await phone.center.shown.isEmpty)
        #expect(try await phone.approve() == .delivered)
        // Again, after the answer: there's nothing to open.
        guard case .list = await phone.flow.follow(.open, on: shown.posted) else {
            Issue.record("what was answered opens")
            return
        }
    }

    @Test(arguments: Vendor.plugins, [true, false])
    func `the button denies before the system hears that the app is done`(
        vendor: Vendor, byExtension: Bool
    ) async throws {
        let phone = try await Handset(vendor, hasServiceExtension: byExtension)
        let push = try await phone.login()
        if byExtension {
            try await phone.runExtension(for: push)
        } else {
            _ = await phone.flow.receive(push.foundation)
        }
        let question = try #require(await phone.questions.first)
        await phone.center.remove([question.identifier])
        guard case .denied(_, let outcome) = await phone.flow.follow(.deny, on: question.posted)
        else {
            Issue.record("not denied")
            return
        }
        #expect(outcome == .delivered)
        #expect(try await phone.open.isEmpty)
    }

    @Test func `the button of a push that imitates ours denies nothing, and opens`() async throws {
        let phone = try await Handset(.forgeRock)
        try await phone.runExtension(for: try await phone.login())
        let challenge = try #require(try await phone.open.first)
        let forged = PostedNotification(
            identifier: "1", category: "push-auth.question",
            userInfo: ["push-auth.challenge": challenge.notificationIdentifier], isPush: true)
        guard case .open(challenge) = await phone.flow.follow(.deny, on: forged) else {
            Issue.record("it doesn't open")
            return
        }
        #expect(try await phone.open == [challenge])
    }

    @Test func `a denial that couldn't be recorded says so, and the question is there again`()
        async throws
    {
        let phone = try await Handset(.forgeRock)
        try await phone.runExtension(for: try await phone.login())
        let question = try #require(await phone.questions.first)
        await phone.center.remove([question.identifier])
        await phone.keychain.lockWrites()
        let soFar = await phone.center.history.count
        guard
            case .notDenied(let challenge, let error) = await phone.flow.follow(
                .deny, on: question.posted)
        else {
            Issue.record("it passes for denied")
            return
        }
        #expect(error.code == .storage)
        #expect(try await phone.open == [challenge])
        // Aloud, as the user believes that it's denied.
        #expect(await phone.questions.map(\.interruption) == [.timeSensitive])
        #expect(await phone.center.history.count == soFar + 1)
    }

    @Test func `what came of a denial is told, unless it went well`() async throws {
        let phone = try await Handset(.forgeRock)
        try await phone.runExtension(for: try await phone.login())
        let id = try #require(try await phone.open.first)
        await phone.center.dismissAll()
        let policy = NotificationPolicy()
        // It may be tried again: the question is there again, aloud.
        try await phone.app.present(
            denied: id, with: .verifyAgain, on: phone.center, by: policy)
        #expect(await phone.questions.map(\.interruption) == [.timeSensitive])
        try await phone.approve()
        await phone.center.dismissAll()
        try await phone.app.present(denied: id, with: .delivered, on: phone.center, by: policy)
        #expect(await phone.center.shown.isEmpty)
        try await phone.app.present(
            denied: id, with: .answeredElsewhere, on: phone.center, by: policy)
        #expect(await phone.center.shown.map(\.category) == ["push-auth.ended"])
        #expect(await phone.center.shown.map(\.interruption) == [.active])
    }

    @Test func `a button of a push with our category denies nothing, and asks aloud`() async throws
    {
        let phone = try await Handset(.forgeRock, hasServiceExtension: false)
        var push = try await phone.login()
        var aps = push["aps"]?.object ?? [:]
        aps["category"] = "push-auth.question"
        push["aps"] = .object(aps)
        let raw = PostedNotification(
            identifier: "1", category: "push-auth.question", userInfo: push.foundation,
            isPush: true)
        guard case .open(let challenge) = await phone.flow.follow(.deny, on: raw) else {
            Issue.record("it doesn't open")
            return
        }
        #expect(try await phone.open == [challenge])
        #expect(await phone.questions.map(\.interruption) == [.timeSensitive])
    }

    @Test func `a tap that could mean several opens the list, and none of them is lost`()
        async throws
    {
        let phone = try await Handset(.powerAuth, hasServiceExtension: false)
        _ = try await phone.login()
        let shown = await phone.center.deliver(try await phone.login())
        await phone.center.dismissAll()
        guard case .list = await phone.flow.follow(.open, on: shown.posted) else {
            Issue.record("one of them opens")
            return
        }
        #expect(try await phone.open.count == 2)
        #expect(await phone.questions.count == 2)
    }

    @Test func `a tap on what is over opens the list`() async throws {
        let phone = try await Handset(.forgeRock)
        try await phone.runExtension(for: try await phone.login())
        let question = try #require(await phone.questions.first)
        let ended = PostedNotification(
            identifier: "1", category: "push-auth.ended",
            userInfo: question.userInfo.foundation, isPush: false)
        guard case .list = await phone.flow.follow(.open, on: ended) else {
            Issue.record("it opens")
            return
        }
    }

    @Test func `an answer whose reply is lost is on record, and goes out again`() async throws {
        let phone = try await Handset(.forgeRock)
        try await phone.runExtension(for: try await phone.login())
        let question = try #require(await phone.questions.first)
        await phone.faults.next(.dropBefore)
        guard
            case .denied(let challenge, .unknown) = await phone.flow.follow(
                .deny, on: question.posted)
        else {
            Issue.record("not on its way")
            return
        }
        await (try phone.started()).start()
        guard case .answered(_, .delivered)? = try await phone.app.record(of: challenge)?.state
        else {
            Issue.record("not delivered")
            return
        }
    }
}

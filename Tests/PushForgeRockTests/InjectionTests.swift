import Foundation
import HTTPTypes
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// The message id stands beside the signature: whoever has seen a push can send it under another one,
/// and be first. AM takes the answer under its own alone.
@Suite struct InjectionTests {
    private let forged = "AUTHENTICATE:00000000-0000-0000-0000-0000000000001760000300000"

    private func injected(_ push: AMPush, as id: String) -> AMPush { push.with(messageID: id) }

    private func accept(_ notification: PushNotification) async throws -> Outcome {
        switch notification.pushType {
        case .challenge: try await notification.accept(challengeResponse: "42")
        case .biometric:
            try await notification.accept(title: "Unlock", allowDeviceCredentials: true)
        default: try await notification.accept()
        }
    }

    /// Which identifiers were posted, in order; each with the same answer.
    private func posted(_ harness: ForgeRockHarness) async throws -> [String] {
        let posts = try await harness.posts()
        #expect(Set(posts.map(\.jwt)).count <= 1)
        return posts.compactMap { $0.members["messageId"]?.string }
    }

    @Test(arguments: [AMPush(), .challenge(), .biometric, AMPush(.a), AMPush(.module)])
    func `a copy under another message id that came first doesn't make the answer fail`(
        push: AMPush
    ) async throws {
        for isDenied in [false, true] {
            let harness = try await ForgeRockHarness.enrolled()
            await harness.server.take(only: WorkedExample.messageID)
            _ = try await harness.notification(injected(push, as: forged))
            let notification = try await harness.notification(push)
            let outcome =
                try await isDenied ? notification.deny() : accept(notification)
            #expect(outcome == .delivered)
            #expect(try await posted(harness) == [forged, WorkedExample.messageID])
        }
    }

    @Test func `a copy that came second costs nothing`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        await harness.server.take(only: WorkedExample.messageID)
        let notification = try await harness.notification(AMPush())
        _ = try await harness.notification(injected(AMPush(), as: forged))
        #expect(try await notification.accept() == .delivered)
        #expect(try await posted(harness) == [WorkedExample.messageID])
    }

    /// Checks that an answer doesn't try an identifier that a forger put first, beside AM's own.
    @discardableResult
    private func passesOver(_ id: String) async throws -> ForgeRockHarness {
        let harness = try await ForgeRockHarness.enrolled()
        await harness.server.take(only: WorkedExample.messageID)
        let first = try await harness.notification(injected(.challenge(), as: id))
        _ = try await harness.notification(.challenge())
        #expect(try await accept(first) == .delivered)
        #expect(try await posted(harness) == [WorkedExample.messageID])
        return harness
    }

    // AM fails on these with 500, which would keep the outcome unknown for ever.
    @Test(arguments: ["x", "EVIL:1", ":", "AUTHENTICATE", "\u{1F600}", "a b"])
    func `a message id of no type that AM knows isn't tried beside a better one`(id: String)
        async throws
    {
        try await passesOver(id)
    }

    // A gateway may refuse such a text, which would keep the outcome unknown.
    @Test(arguments: [
        "AUTHENTICATE:'OR+1=1--", "AUTHENTICATE:<script>", "AUTHENTICATE:../../etc",
        "AUTHENTICATE:",
        "AUTHENTICATE:AUTHENTICATE:1",
    ])
    func `a message id that AM wouldn't make isn't tried beside one that it would`(id: String)
        async throws
    {
        let harness = try await passesOver(id)
        // Where it is the only one, AM may make others than we know.
        let only = try await harness.notification(
            injected(.challenge().about(randomBytes()), as: id))
        _ = try? await accept(only)
        #expect(try await harness.lastPost().members["messageId"]?.string == id)
    }

    @Test func `a copy that comes while the answer is on its way is tried, too`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let other = try ForgeRockHarness(sharing: harness)
        await harness.server.take(only: WorkedExample.messageID)
        let notification = try await harness.notification(injected(AMPush(), as: forged))
        await harness.server.whileWorking {
            _ = try? await other.authenticator.receive(AMPush().message())
        }
        #expect(try await notification.accept() == .delivered)
        #expect(try await posted(harness) == [forged, WorkedExample.messageID])
    }

    @Test func `an id without a type is used where it is the only one`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let notification = try await harness.notification(injected(AMPush(), as: "old-form"))
        #expect(try await notification.accept() == .delivered)
        #expect(try await posted(harness) == ["old-form"])
    }

    @Test(arguments: [AMPush(.a), AMPush(.d)])
    func `each process may have seen another copy`(push: AMPush) async throws {
        let first = try await ForgeRockHarness.enrolled()
        let id = try await first.notification(injected(push, as: forged)).id
        let second = try ForgeRockHarness(sharing: first)
        _ = try await second.notification(push)
        let third = try ForgeRockHarness(sharing: first)
        await third.server.take(only: WorkedExample.messageID)
        #expect(try await third.handler.notification(id).accept() == .delivered)
    }

    @Test func `an answer that was lost under the wrong id is sent again under AM's`()
        async throws
    {
        let harness = try await ForgeRockHarness.enrolled()
        await harness.server.take(only: WorkedExample.messageID)
        let notification = try await harness.notification(injected(AMPush(), as: forged))
        await harness.faults.next(.dropBefore)
        guard case .unknown = try await notification.accept() else {
            Issue.record("A lost reply is no word of AM.")
            return
        }
        _ = try await harness.notification(AMPush())
        #expect(try await harness.authenticator.resume() == [notification.id: .delivered])
    }

    @Test func `a wrong number can be tried again beside a forged id`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        await harness.server.take(only: WorkedExample.messageID)
        _ = try await harness.notification(injected(.challenge(), as: forged))
        let notification = try await harness.notification(.challenge())
        await harness.server.reply(400, 400)
        let wrong = try await notification.accept(challengeResponse: "17")
        #expect(
            wrong == .notTaken(.init(.wrongChoiceOrOver, mayRetry: true, status: 400)))
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
    }

    @Test func `while AM says nothing the decision stays, whatever it says to the forged id`()
        async throws
    {
        for status in [403, 500, 503] {
            let harness = try await ForgeRockHarness.enrolled()
            await harness.server.take(only: WorkedExample.messageID)
            _ = try await harness.notification(injected(AMPush(), as: forged))
            let notification = try await harness.notification(AMPush())
            await harness.server.reply(400, status)
            _ = try? await notification.deny()
            #expect(try await harness.records().map(\.state) == [.decided(.deny(.unexpected))])
            #expect(try await harness.authenticator.resume() == [notification.id: .delivered])
        }
    }

    @Test func `a connection that breaks after one try leaves the outcome unknown`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        _ = try await harness.notification(injected(AMPush(), as: forged))
        let notification = try await harness.notification(AMPush())
        await harness.server.reply(.init(status: 500, body: ""))
        await harness.faults.next(.delay(.zero))
        await harness.faults.next(.refuse)
        guard case .unknown = try await notification.deny() else {
            Issue.record("The first try may have been taken.")
            return
        }
        // What may have been taken is a repeat from now on: AM's 400 opens nothing.
        await harness.server.reply(400, 400)
        guard case .unknown = try await harness.authenticator.resume()[notification.id] else {
            Issue.record("An earlier copy may have been taken.")
            return
        }
        await #expect(throws: PushError.self) { _ = try await notification.accept() }
    }

    @Test func `many copies cost a bounded number of requests`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        for number in 0..<50 {
            _ = try await harness.notification(injected(AMPush(), as: "AUTHENTICATE:\(number)"))
        }
        await harness.server.replyAlways(400)
        let id = try #require(await harness.records().first?.id)
        _ = try await harness.handler.notification(id).deny()
        #expect(try await posted(harness).count <= 8)
    }

    @Test func `an answer is never sent under another challenge's id`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        let one = try await harness.notification(injected(AMPush(), as: "AUTHENTICATE:1"))
        _ = try await harness.notification(
            injected(AMPush().about(randomBytes()), as: "AUTHENTICATE:2"))
        await harness.server.replyAlways(400)
        _ = try await one.accept()
        #expect(try await posted(harness) == ["AUTHENTICATE:1"])
    }
}

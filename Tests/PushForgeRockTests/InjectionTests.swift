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
    private func posted(_ world: World) async throws -> [String] {
        let posts = try await world.posts()
        #expect(Set(posts.map(\.jwt)).count <= 1)
        return posts.compactMap { $0.members["messageId"]?.string }
    }

    @Test(arguments: [AMPush(), .challenge(), .biometric, AMPush(.a), AMPush(.module)])
    func `a copy under another message id that came first doesn't make the answer fail`(
        push: AMPush
    ) async throws {
        for isDenied in [false, true] {
            let world = try await World.enrolled()
            await world.server.take(only: WorkedExample.messageID)
            _ = try await world.notification(injected(push, as: forged))
            let notification = try await world.notification(push)
            let outcome =
                try await isDenied ? notification.deny() : accept(notification)
            #expect(outcome == .delivered)
            #expect(try await posted(world) == [forged, WorkedExample.messageID])
        }
    }

    @Test func `a copy that came second costs nothing`() async throws {
        let world = try await World.enrolled()
        await world.server.take(only: WorkedExample.messageID)
        let notification = try await world.notification(AMPush())
        _ = try await world.notification(injected(AMPush(), as: forged))
        #expect(try await notification.accept() == .delivered)
        #expect(try await posted(world) == [WorkedExample.messageID])
    }

    /// Checks that an answer doesn't try an identifier that a forger put first, beside AM's own.
    @discardableResult
    private func passesOver(_ id: String) async throws -> World {
        let world = try await World.enrolled()
        await world.server.take(only: WorkedExample.messageID)
        let first = try await world.notification(injected(.challenge(), as: id))
        _ = try await world.notification(.challenge())
        #expect(try await accept(first) == .delivered)
        #expect(try await posted(world) == [WorkedExample.messageID])
        return world
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
        let world = try await passesOver(id)
        // Where it is the only one, AM may make others than we know.
        let only = try await world.notification(
            injected(.challenge().about(randomBytes()), as: id))
        _ = try? await accept(only)
        #expect(try await world.lastPost().members["messageId"]?.string == id)
    }

    @Test func `a copy that comes while the answer is on its way is tried, too`() async throws {
        let world = try await World.enrolled()
        let other = try World(sharing: world)
        await world.server.take(only: WorkedExample.messageID)
        let notification = try await world.notification(injected(AMPush(), as: forged))
        await world.server.meanwhile {
            _ = try? await other.authenticator.receive(AMPush().message())
        }
        #expect(try await notification.accept() == .delivered)
        #expect(try await posted(world) == [forged, WorkedExample.messageID])
    }

    @Test func `an id without a type is used where it is the only one`() async throws {
        let world = try await World.enrolled()
        let notification = try await world.notification(injected(AMPush(), as: "old-form"))
        #expect(try await notification.accept() == .delivered)
        #expect(try await posted(world) == ["old-form"])
    }

    @Test(arguments: [AMPush(.a), AMPush(.d)])
    func `each process may have seen another copy`(push: AMPush) async throws {
        let first = try await World.enrolled()
        let id = try await first.notification(injected(push, as: forged)).id
        let second = try World(sharing: first)
        _ = try await second.notification(push)
        let third = try World(sharing: first)
        await third.server.take(only: WorkedExample.messageID)
        #expect(try await third.handler.notification(id).accept() == .delivered)
    }

    @Test func `an answer that was lost under the wrong id is sent again under AM's`()
        async throws
    {
        let world = try await World.enrolled()
        await world.server.take(only: WorkedExample.messageID)
        let notification = try await world.notification(injected(AMPush(), as: forged))
        await world.faults.next(.dropBefore)
        guard case .unknown = try await notification.accept() else {
            Issue.record("A lost reply is no word of AM.")
            return
        }
        _ = try await world.notification(AMPush())
        #expect(try await world.authenticator.resume() == [notification.id: .delivered])
    }

    @Test func `a wrong number can be tried again beside a forged id`() async throws {
        let world = try await World.enrolled()
        await world.server.take(only: WorkedExample.messageID)
        _ = try await world.notification(injected(.challenge(), as: forged))
        let notification = try await world.notification(.challenge())
        await world.server.reply(400, 400)
        let wrong = try await notification.accept(challengeResponse: "17")
        #expect(
            wrong == .notTaken(.init(.wrongChoiceOrOver, mayRetry: true, status: 400)))
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
    }

    @Test func `while AM says nothing the decision stays, whatever it says to the forged id`()
        async throws
    {
        for status in [403, 500, 503] {
            let world = try await World.enrolled()
            await world.server.take(only: WorkedExample.messageID)
            _ = try await world.notification(injected(AMPush(), as: forged))
            let notification = try await world.notification(AMPush())
            await world.server.reply(400, status)
            _ = try? await notification.deny()
            #expect(try await world.records().map(\.state) == [.decided(.deny(.unexpected))])
            #expect(try await world.authenticator.resume() == [notification.id: .delivered])
        }
    }

    @Test func `a connection that breaks after one try leaves the outcome unknown`() async throws {
        let world = try await World.enrolled()
        _ = try await world.notification(injected(AMPush(), as: forged))
        let notification = try await world.notification(AMPush())
        await world.server.reply(.init(500, body: ""))
        await world.faults.next(.delay(.zero))
        await world.faults.next(.refuse)
        guard case .unknown = try await notification.deny() else {
            Issue.record("The first try may have been taken.")
            return
        }
        // What may have been taken is a repeat from now on: AM's 400 opens nothing.
        await world.server.reply(400, 400)
        guard case .unknown = try await world.authenticator.resume()[notification.id] else {
            Issue.record("An earlier copy may have been taken.")
            return
        }
        await #expect(throws: PushError.self) { _ = try await notification.accept() }
    }

    @Test func `many copies cost a bounded number of requests`() async throws {
        let world = try await World.enrolled()
        for number in 0..<50 {
            _ = try await world.notification(injected(AMPush(), as: "AUTHENTICATE:\(number)"))
        }
        await world.server.replyAlways(400)
        let id = try #require(await world.records().first?.id)
        _ = try await world.handler.notification(id).deny()
        #expect(try await posted(world).count <= 8)
    }

    @Test func `an answer is never sent under another challenge's id`() async throws {
        let world = try await World.enrolled()
        let one = try await world.notification(injected(AMPush(), as: "AUTHENTICATE:1"))
        _ = try await world.notification(
            injected(AMPush().about(randomBytes()), as: "AUTHENTICATE:2"))
        await world.server.replyAlways(400)
        _ = try await one.accept()
        #expect(try await posted(world) == ["AUTHENTICATE:1"])
    }
}

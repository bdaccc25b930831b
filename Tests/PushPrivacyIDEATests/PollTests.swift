import Foundation
import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// The list and its clock: `docs/vendors/privacyidea.md#polling`.
@Suite struct PollTests {
    typealias Reply = ScriptedServer.Reply

    private func listed(
        _ nonces: String..., in world: World
    ) throws -> [JSON] {
        try nonces.map { try SignedChallenge(nonce: $0).json(by: world.vectors.key("server")) }
    }

    // MARK: What is listed

    @Test func `what a list has is found without a push`() async throws {
        let world = try await World.enrolled()
        await world.server.reply(to: .poll, .value(.array(try listed("A", "B", in: world))))
        let found = try await world.authenticator.pending(for: world.id)
        #expect(found.compactMap(\.challenge?.name) == ["A", "B"])
        #expect(found.map(\.isNew) == [true, true])
    }

    @Test func `push and list are one challenge`() async throws {
        let world = try await World.enrolled()
        let challenge = try await world.challenge()
        let again = try await world.authenticator.pending(for: world.id)
        #expect(again.map(\.challenge) == [challenge.id])
        #expect(again.allSatisfy { !$0.isNew })
    }

    @Test func `what a list no longer has is closed`() async throws {
        let world = try await World.enrolled()
        let challenge = try await world.challenge()
        await world.server.list()
        let found = try await world.authenticator.pending(for: world.id)
        #expect(found.compactMap(\.challenge) == [challenge.id])
        guard case .over? = try await world.authenticator.record(of: challenge.id)?.state else {
            Issue.record("It is still open.")
            return
        }
        #expect(
            try await refused { _ = try await world.authenticator.challenge(challenge.id) }.code
                == .over)
    }

    @Test func `a challenge is opened only while the server lists it`() async throws {
        let world = try await World.enrolled()
        let message = try SignedChallenge().message(by: world.vectors.key("server"))
        let id = try #require(
            await world.authenticator.receive(message).first?.challenge)
        let error = try await refused { _ = try await world.authenticator.challenge(id) }
        #expect(error.code == .over && error.ends == .unknown)
        guard case .over(let withdrawal)? = try await world.authenticator.record(of: id)?.state
        else {
            Issue.record("It is still open.")
            return
        }
        #expect(withdrawal.reason == .unknown)
    }

    @Test func `a push that comes while the list is under way isn't closed by it`() async throws {
        let world = try await World.enrolled()
        let json = try SignedChallenge().json(by: world.vectors.key("server"))
        let message = try PushMessage(json: json.data)
        // The list as it was before the login began.
        await world.server.reply(to: .poll, .value([]))
        await world.server.list(json)
        let authenticator = world.authenticator
        await world.server.whileWorking { _ = try? await authenticator.receive(message) }
        _ = try await authenticator.pending(for: world.id)
        let record = try #require(try await authenticator.records().first)
        #expect(record.state == .open)
        #expect(await world.sent(.poll).count == 2)
    }

    @Test(arguments: [Reply.error(403, 303), .error(400, 10), .page(404), .page(502)])
    func `a list that can't be had closes nothing, and what came by push can be answered`(
        reply: Reply
    ) async throws {
        let world = try await World.enrolled()
        await world.server.replyAlways(to: .poll, reply)
        let message = try SignedChallenge().message(by: world.vectors.key("server"))
        let id = try #require(await world.authenticator.receive(message).first?.challenge)
        let error = try await refused { _ = try await world.authenticator.pending(for: world.id) }
        #expect(error.code == .server(status: reply.status))
        #expect(try await world.authenticator.record(of: id)?.state == .open)
        let challenge = try await world.authenticator.challenge(id)
        #expect(try await world.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await world.authenticator.enrollment(world.id)?.state == .active)
    }

    @Test func `a list with an entry that can't be trusted closes nothing`() async throws {
        let world = try await World.enrolled()
        let challenge = try await world.challenge()
        let forged = try SignedChallenge(nonce: "X").json(by: world.vectors.key("otherServer"))
        let other = try listed("B", in: world)
        await world.server.replyAlways(to: .poll, .value(.array([forged] + other)))
        let found = try await world.authenticator.pending(for: world.id)
        #expect(found.compactMap(\.challenge?.name) == ["B"])
        #expect(try await world.authenticator.record(of: challenge.id)?.state == .open)
        let heard = world.observer.observations.filter { $0.kind == .refused(.untrusted) }
        #expect(heard.map(\.enrollment) == [world.id])
    }

    @Test func `one challenge with two prompts is refused`() async throws {
        let world = try await World.enrolled()
        let message = try SignedChallenge().message(by: world.vectors.key("server"))
        let id = try #require(await world.authenticator.receive(message).first?.challenge)
        let changed = try SignedChallenge(presence: "1,2").json(by: world.vectors.key("server"))
        await world.server.list(changed)
        let error = try await refused { _ = try await world.authenticator.challenge(id) }
        #expect(error.code == .untrusted)
    }

    @Test func `the push's text stays where the list has another one, and the newest URL counts`()
        async throws
    {
        let world = try await World.enrolled()
        let push = SignedChallenge(question: "Log in from 203.0.113.7?", capabilities: nil)
        let message = try push.message(by: world.vectors.key("server"))
        let id = try #require(await world.authenticator.receive(message).first?.challenge)
        let poll = SignedChallenge(
            question: "Log in from ?", url: "https://pi.example.com/new/push", capabilities: nil)
        await world.server.list(try poll.json(by: world.vectors.key("server")))
        #expect(try await world.authenticator.pending(for: world.id).map(\.isNew) == [false])
        let challenge = try await world.authenticator.challenge(id)
        let record = try await world.authenticator.record(of: id)
        #expect(record?.notice.body == "Log in from 203.0.113.7?")
        _ = try await world.authenticator.resolve(challenge, with: .approve)
        #expect(await world.transport.exchanges.last?.request.path == "/new/push")
    }

    // MARK: Hints

    @Test func `a push that can be read in two ways makes the server be asked, and no more`()
        async throws
    {
        let world = try await World.enrolled()
        let signed = try SignedChallenge(question: "a|b", title: "c")
            .json(by: world.vectors.key("server"))
        await world.server.list(signed)
        var push = try #require(signed.object)
        push["question"] = "a"
        push["title"] = "b|c"
        let found = try await world.authenticator.receive(
            try PushMessage(json: JSON.object(push).data))
        guard case .notice(let notice, _)? = found.first?.kind else {
            Issue.record("The list wasn't asked for.")
            return
        }
        #expect(notice.body == "a|b" && notice.title == "c")
        #expect(await world.sent(.poll).count == 1)
    }

    @Test func `after every push the server is asked once what else waits`() async throws {
        let world = try await World.enrolled(asksAfterPush: true)
        let all = try listed("A", "B", in: world)
        await world.server.list(all[0], all[1])
        let updates = await world.authenticator.updates()
        _ = try await world.authenticator.receive(try PushMessage(json: all[0].data))
        var names: [String] = []
        for await update in updates {
            guard case .received(let reception) = update, let id = reception.challenge else {
                continue
            }
            names.append(id.name)
            if names.contains("B") { break }
        }
        #expect(names.contains("B"))
        #expect(await world.sent(.poll).count == 1)
    }

    // MARK: The clock

    private func times(_ world: World) async -> [String] {
        await world.sent(.poll).compactMap { FormText($0)?["timestamp"] }
    }

    @Test func `a time that the server refuses is signed again by the server's, once`()
        async throws
    {
        let world = try await World.enrolled()
        await world.server.tellTime(ahead: .seconds(70))
        await world.server.reply(to: .poll, .error(400, 10), .error(400, 10))
        let error = try await refused { _ = try await world.authenticator.pending(for: world.id) }
        #expect(error.code == .server(status: 400))
        let times = await times(world)
        #expect(times == ["2026-11-22T12:00:00.000000Z", "2026-11-22T12:01:10.500000Z"])
        // It's known from now on.
        _ = try await world.authenticator.pending(for: world.id)
        #expect(await self.times(world).count == 3)
        #expect(await self.times(world).last == "2026-11-22T12:01:10.500000Z")
    }

    @Test(arguments: [(10, 30), (-311, 30), (905, 70), (-311, 70)])
    func `what isn't about the time isn't sent twice`(code: Int64, ahead: Int) async throws {
        let world = try await World.enrolled()
        await world.server.tellTime(ahead: .seconds(ahead))
        await world.server.reply(to: .poll, .error(400, code))
        let isRepeated = code == -311 && ahead == 70
        if isRepeated {
            _ = try await world.authenticator.pending(for: world.id)
        } else {
            _ = try await refused { _ = try await world.authenticator.pending(for: world.id) }
        }
        #expect(await times(world).count == (isRepeated ? 2 : 1))
    }

    @Test func `a refused signature leaves the token as it is`() async throws {
        let world = try await World.enrolled()
        await world.server.replyAlways(to: .poll, .error(400, 10))
        for _ in 0..<3 {
            _ = try await refused { _ = try await world.authenticator.refresh(world.id) }
        }
        #expect(try await world.authenticator.enrollment(world.id)?.state == .active)
    }

    // MARK: Where polling is forbidden

    @Test func `a server that lets nobody poll isn't asked again until the next start`()
        async throws
    {
        let world = try await World.enrolled()
        await world.server.reply(to: .poll, .error(403, 303))
        for _ in 0..<3 {
            let error = try await refused {
                _ = try await world.authenticator.pending(for: world.id)
            }
            #expect(error.code == .server(status: 403))
        }
        #expect(await world.sent(.poll).count == 1)
        // The user may ask; that is told from a firewall's page, too.
        #expect(try await world.authenticator.refresh(world.id).state == .active)
        await world.server.reply(to: .poll, .page(403))
        _ = try await refused { _ = try await world.authenticator.pending(for: world.id) }
        _ = try await world.authenticator.pending(for: world.id)
        #expect(await world.sent(.poll).count == 4)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushJOSE
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// The list and its clock: `docs/vendors/privacyidea.md#polling`.
@Suite struct PollTests {
    typealias Reply = ScriptedReply

    private func listed(
        _ nonces: String..., in harness: ScriptedHarness
    ) throws -> [JSON] {
        try nonces.map { try SignedChallenge(nonce: $0).json(by: harness.vectors.key("server")) }
    }

    // MARK: What is listed

    @Test func `what a list has is found without a push`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .poll, .value(.array(try listed("A", "B", in: harness))))
        let found = try await harness.authenticator.pending(for: harness.id)
        #expect(found.compactMap(\.challenge?.name) == ["A", "B"])
        #expect(found.map(\.isNew) == [true, true])
    }

    @Test func `push and list are one challenge`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        let again = try await harness.authenticator.pending(for: harness.id)
        #expect(again.map(\.challenge) == [challenge.id])
        #expect(again.allSatisfy { !$0.isNew })
    }

    @Test func `what a list no longer has is closed`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.list()
        harness.clock.advance(by: .seconds(30))
        let found = try await harness.authenticator.pending(for: harness.id)
        #expect(found.compactMap(\.challenge) == [challenge.id])
        #expect(
            try await harness.authenticator.record(of: challenge.id)?.state
                == .over(Withdrawal(challenge.id, .unknown)))
        // Once when it was opened, and once for the list.
        #expect(await harness.sent(.poll).count == 2)
        #expect(
            try await refusal { _ = try await harness.authenticator.challenge(challenge.id) }.code
                == .over)
    }

    @Test func `a challenge is opened only while the server lists it`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let message = try SignedChallenge().message(by: harness.vectors.key("server"))
        let id = try #require(
            await harness.authenticator.receive(message).first?.challenge)
        harness.clock.advance(by: .seconds(30))
        let error = try await refusal { _ = try await harness.authenticator.challenge(id) }
        #expect(error.code == .over && error.ends == .unknown)
        guard case .over(let withdrawal)? = try await harness.authenticator.record(of: id)?.state
        else {
            Issue.record("It is still open.")
            return
        }
        #expect(withdrawal.reason == .unknown)
    }

    @Test func `a push that comes before the server has recorded its challenge is answered`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let message = try SignedChallenge().message(by: harness.vectors.key("server"))
        let id = try #require(
            await harness.authenticator.receive(message).first?.challenge)
        #expect(try await harness.authenticator.pending(for: harness.id).isEmpty)
        harness.clock.advance(by: .seconds(29))
        let challenge = try await harness.authenticator.challenge(id)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `once the server has listed it, a challenge opens only while it still does`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let json = try SignedChallenge().json(by: harness.vectors.key("server"))
        let message = try PushMessage(json: json.data)
        let id = try #require(
            await harness.authenticator.receive(message).first?.challenge)
        await harness.server.list(json)
        _ = try await harness.authenticator.pending(for: harness.id)
        await harness.server.list()
        // The push that comes again makes it no younger.
        _ = try await harness.authenticator.receive(message)
        let error = try await refusal { _ = try await harness.authenticator.challenge(id) }
        #expect(error.code == .over && error.ends == .unknown)
    }

    @Test func `a push that comes while the list is under way isn't closed by it`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let json = try SignedChallenge().json(by: harness.vectors.key("server"))
        let message = try PushMessage(json: json.data)
        // The list as it was before the login began.
        await harness.server.reply(to: .poll, .value([]))
        await harness.server.list(json)
        let authenticator = harness.authenticator
        await harness.server.whileWorking { _ = try? await authenticator.receive(message) }
        _ = try await authenticator.pending(for: harness.id)
        let record = try #require(try await authenticator.records().first)
        #expect(record.state == .open)
        #expect(await harness.sent(.poll).count == 1)
    }

    @Test(arguments: [Reply.error(403, 303), .error(400, 10), .page(404), .page(502)])
    func `a list that can't be had closes nothing, and what came by push can be answered`(
        reply: Reply
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.replyAlways(to: .poll, reply)
        let message = try SignedChallenge().message(by: harness.vectors.key("server"))
        let id = try #require(await harness.authenticator.receive(message).first?.challenge)
        let error = try await refusal {
            _ = try await harness.authenticator.pending(for: harness.id)
        }
        #expect(error.code == (reply.status == 403 ? .listRefused : .server(status: reply.status)))
        #expect(try await harness.authenticator.record(of: id)?.state == .open)
        let challenge = try await harness.authenticator.challenge(id)
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
    }

    @Test func `a list with an entry that can't be trusted closes nothing`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        let forged = try SignedChallenge(nonce: "X").json(by: harness.vectors.key("otherServer"))
        let other = try listed("B", in: harness)
        await harness.server.replyAlways(to: .poll, .value(.array([forged] + other)))
        let found = try await harness.authenticator.pending(for: harness.id)
        #expect(found.compactMap(\.challenge?.name) == ["B"])
        #expect(try await harness.authenticator.record(of: challenge.id)?.state == .open)
        let heard = harness.observer.observations.filter { $0.kind == .refused(.untrusted) }
        #expect(heard.map(\.enrollment) == [harness.id])
    }

    // MARK: Hints

    @Test func `a push that can be read in two ways makes the server be asked, and no more`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let signed = try SignedChallenge(question: "a|b", title: "c")
            .json(by: harness.vectors.key("server"))
        await harness.server.list(signed)
        var push = try #require(signed.object)
        push["question"] = "a"
        push["title"] = "b|c"
        let found = try await harness.authenticator.receive(
            try PushMessage(json: JSON.object(push).data))
        guard case .notice(let notice, _)? = found.first?.kind else {
            Issue.record("The list wasn't asked for.")
            return
        }
        #expect(notice.body == "a|b" && notice.title == "c")
        #expect(await harness.sent(.poll).count == 1)
    }

    @Test func `after every push the server is asked once what else waits`() async throws {
        let harness = try await ScriptedHarness.enrolled(asksAfterPush: true)
        let all = try listed("A", "B", in: harness)
        await harness.server.list(all[0], all[1])
        let updates = await harness.authenticator.updates()
        _ = try await harness.authenticator.receive(try PushMessage(json: all[0].data))
        var names: [String] = []
        for await update in updates {
            guard case .received(let reception) = update, let id = reception.challenge else {
                continue
            }
            names.append(id.name)
            if names.contains("B") { break }
        }
        #expect(names.contains("B"))
        #expect(await harness.sent(.poll).count == 1)
    }

    // MARK: The clock

    private func times(_ harness: ScriptedHarness) async -> [String] {
        await harness.sent(.poll).compactMap { FormText($0)?["timestamp"] }
    }

    @Test func `a time that the server refuses is signed again by the server's, once`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.tellTime(ahead: .seconds(70))
        await harness.server.reply(to: .poll, .error(400, 10), .error(400, 10))
        let error = try await refusal {
            _ = try await harness.authenticator.pending(for: harness.id)
        }
        #expect(error.code == .server(status: 400))
        let times = await times(harness)
        #expect(times == ["2026-11-22T12:00:00.000000Z", "2026-11-22T12:01:10.500000Z"])
        // It's known from now on.
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(await self.times(harness).count == 3)
        #expect(await self.times(harness).last == "2026-11-22T12:01:10.500000Z")
    }

    @Test(arguments: [(10, 30), (-311, 30), (905, 70), (-311, 70)])
    func `what isn't about the time isn't sent twice`(code: Int64, ahead: Int) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.tellTime(ahead: .seconds(ahead))
        await harness.server.reply(to: .poll, .error(400, code))
        let isRepeated = code == -311 && ahead == 70
        if isRepeated {
            _ = try await harness.authenticator.pending(for: harness.id)
        } else {
            _ = try await refusal { _ = try await harness.authenticator.pending(for: harness.id) }
        }
        #expect(await times(harness).count == (isRepeated ? 2 : 1))
    }

    @Test func `a refused signature leaves the token as it is`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.replyAlways(to: .poll, .error(400, 10))
        for _ in 0..<3 {
            _ = try await refusal { _ = try await harness.authenticator.refresh(harness.id) }
        }
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
    }

    // MARK: Where polling is forbidden

    @Test func `a server that lets nobody poll isn't asked again until the next start`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .poll, .error(403, 303))
        for _ in 0..<3 {
            let error = try await refusal {
                _ = try await harness.authenticator.pending(for: harness.id)
            }
            #expect(error.code == .listRefused)
        }
        #expect(await harness.sent(.poll).count == 1)
        // The user may ask; that is told from a firewall's page, too.
        #expect(try await harness.authenticator.refresh(harness.id).state == .active)
        await harness.server.reply(to: .poll, .page(403))
        _ = try await refusal { _ = try await harness.authenticator.pending(for: harness.id) }
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(await harness.sent(.poll).count == 4)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// Replies of whoever stands before the tenant: whatever their status, they decide nothing.
@Suite struct StrangerTests {
    typealias Reply = ScriptedReply

    private static let page = "<html><body>Blocked by the gateway.</body></html>"

    private static let statuses = [
        400, 401, 402, 403, 404, 405, 409, 410, 418, 422, 429, 500, 502, 503, 504,
    ]

    private static let bodies = [
        page, "", "[]", "null", #"{"message":"Forbidden"}"#, #"{"status":401}"#,
        #"{"error":7}"#, #"{"error":{"code":"already_exists"}}"#, #"{"error":"forbidden"}"#,
        #"{"error":"Unauthorized_User"}"#, #"[{"error":"already_exists"}]"#,
        #"{"error":"already_exists","error":"already_exists"}"#,
        #"{"error":"already_exists""#,
    ]

    /// Documented words at statuses that the documentation doesn't list them for.
    private static let misplaced = [
        (400, "invalid_entity"), (400, "authorization_pending"), (401, "already_exists"),
        (403, "missing_scope"), (403, "unauthorized_user"), (404, "invalid_request"),
        (405, "invalid_request"), (405, "entity_not_found"), (409, "entity_not_found"),
        (409, "invalid_code"), (410, "entity_not_found"), (422, "invalid_request"),
        (418, "server_error"), (429, "server_error"),
    ].map { Reply.refusal($0, $1) }

    /// Successes of firewalls and maintenance pages.
    private static let successes = [
        Reply(status: 200, body: page), Reply(status: 201, body: page),
        Reply(status: 204, body: page), Reply(status: 200, body: "{}", type: "text/html"),
        Reply(status: 200, body: "", type: "text/html; charset=utf-8"),
        Reply(status: 202, body: ""), Reply(status: 202, body: "{}"),
        Reply(status: 203, body: "{}"), Reply(status: 206, body: "{}"),
    ]

    private static let replies =
        successes + statuses.map { Reply(status: $0, body: page) }
        + [401, 404, 405, 409, 422].flatMap { status in
            bodies.map { Reply(status: status, body: $0) }
        } + misplaced

    /// Denies as fraud, and hears a stranger.
    private func denied(
        _ reply: Reply, namesPath: Bool = true
    ) async throws -> (harness: PlusAuthHarness, challenge: Challenge) {
        let harness = try await PlusAuthHarness.enrolled()
        var context = try await ContextJWT(harness.key())
        if !namesPath { context = context.with("resolve_url", nil) }
        let challenge = try await harness.challenge(context)
        await harness.server.reply(reply)
        if !namesPath, [404, 405].contains(reply.status) {
            await harness.server.reply(reply)
        }
        do {
            let outcome = try await harness.authenticator.resolve(challenge, with: .deny(.fraud))
            guard reply.isPassing, case .unknown = outcome else {
                Issue.record("Nobody said what became of it: \(outcome).")
                return (harness, challenge)
            }
        } catch {
            #expect(error.code == .server(status: reply.status))
        }
        #expect(try await harness.decision(on: challenge) == .deny(.fraud))
        return (harness, challenge)
    }

    /// The one answer that the server ever got is the denial.
    private func expectDenialAlone(in harness: PlusAuthHarness) async throws {
        let answers = await harness.answers()
        #expect(Set(answers.map(\.body)).count == 1)
        let claims = try await harness.lastAnswer().answer(by: harness.key()).claims
        #expect(claims["response"] == "rejected")
        #expect(claims["reject_reason"] == "fraud_suspicion")
    }

    @Test(arguments: replies)
    func `after a stranger's reply the decision stays, and is sent again`(
        reply: Reply
    ) async throws {
        for namesPath in [true, false] {
            let (harness, challenge) = try await denied(reply, namesPath: namesPath)
            let later = try PlusAuthHarness(sharing: harness)
            #expect(try await later.authenticator.resume() == [challenge.id: .delivered])
            #expect(
                try await later.authenticator.record(of: challenge.id)?.state
                    == .answered(.deny(.fraud), .delivered))
            for answer in await harness.answers() {
                #expect(answer.body == (try await later.lastAnswer().body))
            }
        }
    }

    @Test(arguments: replies)
    func `after a stranger's reply a denial never becomes an approval`(
        reply: Reply
    ) async throws {
        let (harness, challenge) = try await denied(reply)
        await harness.server.reply(reply)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.decision(on: challenge) == .deny(.fraud))
        let error = try await refusal {
            _ = try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .decidedOtherwise(.deny(.fraud)))
        try await expectDenialAlone(in: harness)
        #expect(
            try await harness.authenticator.record(of: challenge.id)?.state
                == .answered(.deny(.fraud), .delivered))
    }

    @Test(arguments: [
        (400, "invalid_request"), (401, "missing_token"), (401, "invalid_authorization_scheme"),
        (401, "invalid_audience"), (401, "invalid_issuer"), (401, "missing_scope"),
        (401, "unauthorized_user"), (404, "entity_not_found"), (409, "already_exists"),
        (422, "invalid_entity"),
    ])
    func `a refusal in the documented form is final`(status: Int, word: String) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        await harness.server.reply(.refusal(status, word))
        _ = try await harness.authenticator.resolve(challenge, with: .deny(.fraud))
        #expect(try await harness.decision(on: challenge) == nil)
        #expect(try await harness.authenticator.resume().isEmpty)
        #expect(await harness.answers().count == 1)
    }

    /// The table lists no meaning of it for an answer.
    @Test func `a plan's limit says nothing of an answer`() async throws {
        let (harness, challenge) = try await denied(.refusal(402))
        #expect(try await harness.authenticator.resume() == [challenge.id: .delivered])
    }

    @Test func `a refusal after a stranger's reply says nothing of the first copy`() async throws {
        for status in [400, 401, 404, 409, 422] {
            let (harness, challenge) = try await denied(Reply(status: 403, body: Self.page))
            await harness.server.refuse(status)
            guard case .unknown? = try await harness.authenticator.resume()[challenge.id] else {
                Issue.record("The first copy may have been taken.")
                return
            }
        }
    }

    // MARK: Enrolling

    @Test(arguments: replies)
    func `a stranger's reply to an enrollment leaves it to be confirmed`(
        reply: Reply
    ) async throws {
        let harness = try PlusAuthHarness()
        await harness.server.reply(reply)
        do {
            let enrollment = try await harness.enroll()
            #expect(reply.isPassing && enrollment.state == .pending(.unconfirmed))
        } catch let error as PushError {
            #expect(error.code == .server(status: reply.status))
        }
        #expect(
            try await harness.authenticator.enrollments().map(\.state) == [.pending(.unconfirmed)])
        // PlusAuth had taken it: the first push that its key verifies says so.
        _ = try await harness.challenge(ContextJWT(harness.key()))
        #expect(try await harness.account().state == .active)
    }

    @Test func `after strangers' replies scanning again leaves one account`() async throws {
        let harness = try PlusAuthHarness()
        for status in [302, 403, 404, 409] {
            await harness.server.reply(.init(status: status, body: Self.page))
            await #expect(throws: PushError.self) { try await harness.enroll() }
        }
        let enrollment = try await harness.enroll()
        #expect(try await harness.authenticator.enrollments() == [enrollment])
    }
}

extension ScriptedReply {
    /// Whether the core tries again by itself what got it.
    fileprivate var isPassing: Bool { status == 429 || status >= 500 || status < 300 }
}

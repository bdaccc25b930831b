import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// Replies of whoever stands before the realm: whatever their status, they decide nothing.
@Suite struct StrangerTests {
    typealias Reply = ScriptedReply

    private static let words: [(Int, String)] = [
        (400, "Challenge not found"), (404, "Challenge already resolved or expired"),
        (403, "Challenge not found"), (409, "Challenge not found"),
        (404, "challenge not found"), (404, "Challenge not found "), (404, ""),
        (400, "User verification mismatch"), (401, "User verification mismatch"),
        (404, "Device not registered for user"), (403, "User not found"), (403, "Forbidden"),
        (409, "Challenge already resolved"), (400, "Challenge already resolved as DENIED"),
    ]

    private static let bodies = [
        "", "[]", "null", "{}", #"{"error":7}"#, #"{"error":["Challenge not found"]}"#,
        #"{"message":"Challenge not found"}"#,
        #"{"error":"Challenge not found","error":"Challenge not found"}"#,
        #"{"error":"Challenge not found""#, "Challenge not found",
    ]

    private static let refusals =
        [301, 302, 400, 401, 403, 404, 405, 409, 410, 418].map(Reply.page)
        + bodies.map { Reply(status: 404, body: $0) }
        + [Reply(status: 404, body: #"{"error":"Challenge not found"}"#, type: "text/html")]
        + words.map { Reply.refusal($0.0, $0.1) }

    private static let trouble =
        [200, 201, 202, 204, 206, 429, 500, 502, 503, 504].map(Reply.page)
        + [
            Reply.json([:]), .json([]), .json(nil), .word("ok"), .word("denied"), .word("APPROVED"),
            Reply(status: 202, body: #"{"status":"approved"}"#),
            Reply(body: #"{"status":"approved"}"#, type: "text/html"),
            Reply(body: #"{"status":["approved"]}"#), Reply(body: #"{"Status":"approved"}"#),
            .refusal(500, "Challenge not found"), .refusal(503, "unknown_error"),
        ]

    @Test(arguments: refusals)
    func `what isn't the realm's word on an answer leaves the decision on record`(
        reply: Reply
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(to: .answer, reply)
        let error = try await refusal {
            try await harness.authenticator.resolve(challenge, with: .approve)
        }
        #expect(error.code == .server(status: reply.status))
        #expect(try await harness.state(of: challenge.id) == .decided(.approve))
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
    }

    @Test(arguments: trouble)
    func `trouble on the way is waited for, and a success of somebody else's is none`(
        reply: Reply
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.server.reply(to: .answer, reply)
        guard
            case .unknown = try await harness.authenticator.resolve(challenge, with: .approve)
        else {
            Issue.record("Nobody knows what the realm did.")
            return
        }
        #expect(try await harness.state(of: challenge.id) == .decided(.approve))
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
        let answers = try await harness.tokens(.answer)
        #expect(answers.count == 2 && answers.allSatisfy { $0.claims["action"] == "approve" })
    }

    @Test(arguments: [
        Reply.page(200), .page(302), .page(403), .page(503), .json([:]),
        .json(["access_token": "x", "token_type": "mac", "expires_in": 300]),
        .json(["access_token": "a b", "token_type": "DPoP", "expires_in": 300]),
        .refusal(401, "invalid_client"), .refusal(400, "invalid_request"),
    ])
    func `without an access token nothing is sent, and the answer goes out later`(
        reply: Reply
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.provider.dropCaches()
        await harness.server.reply(to: .token, reply)
        _ = try? await harness.authenticator.resolve(challenge, with: .approve)
        #expect(try await harness.state(of: challenge.id) == .decided(.approve))
        #expect(await harness.exchanges(.answer).isEmpty)
        #expect(try await harness.authenticator.resume()[challenge.id] == .delivered)
    }

    @Test(arguments: [Reply.page(200), .page(404), .page(503), .json(["keys": "none"])])
    func `what isn't the realm's key set verifies nothing, and ends nothing`(
        reply: Reply
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .keys, reply)
        let push = try harness.push()
        #expect(try await harness.authenticator.receive(push).isEmpty)
        #expect(await harness.exchanges(.list).count == 1)
        harness.clock.advance(by: .seconds(61))
        #expect(try await harness.authenticator.receive(push).map(\.isNew) == [true])
    }

    @Test(arguments: [
        Reply.page(200), .page(404), .json([:]), .word("done"), .refusal(403, "Forbidden"),
    ])
    func `upkeep that nobody confirms is said to have failed`(reply: Reply) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let code: PushError.Code =
            reply.status == 200 ? .interrupted : .server(status: reply.status)
        for kind in [ScriptedServer.Kind.rotate, .lockout, .address] {
            await harness.server.replyAlways(to: kind, reply)
        }
        #expect(try await refusal { try await harness.rotateKey() }.code == code)
        #expect(try await refusal { try await harness.lockOut() }.code == code)
        let account = try await harness.accounts.existing(harness.id)
        let error = try await refusal {
            try await harness.provider.enroller.update(nil, of: account)
        }
        #expect(error.code == code)
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
    }
}

import Foundation
import HTTPTypes
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// What a reply to an enrollment means: `docs/vendors/plusauth.md#errors`.
@Suite struct EnrollmentReplyTests {
    @Test(arguments: [200, 201, 204], ["", "{}", "[]", "{\"error\":\"server_error\"}"])
    func `a success with JSON or with nothing counts, whatever it says`(status: Int, body: String)
        async throws
    {
        let harness = try PlusAuthHarness()
        await harness.server.reply(.init(status: status, body: body))
        #expect(try await harness.enroll().state == .active)
        #expect(try await harness.account().state == .active)
    }

    @Test(arguments: [(200, "<html>"), (201, "x"), (202, ""), (202, "{}"), (206, "{}")])
    func `a stranger's success is no reply: the first push confirms the enrollment`(
        status: Int, body: String
    ) async throws {
        let harness = try PlusAuthHarness()
        await harness.server.reply(.init(status: status, body: body))
        #expect(try await harness.enroll().state == .pending(.unconfirmed))
        _ = try await harness.challenge(ContextJWT(harness.key()))
        #expect(try await harness.account().state == .active)
    }

    @Test(arguments: [
        (400, "invalid_request"), (402, "plan_limit_exceeded"), (404, "entity_not_found"),
        (422, "invalid_entity"), (429, "too_many_requests"),
    ])
    func `a refusal keeps its status and word, and leaves nothing`(
        status: Int, word: String
    ) async throws {
        let harness = try PlusAuthHarness()
        let body = #"{"error":"\#(word)","error_description":"x","status":"\#(status)"}"#
        await harness.server.reply(.init(status: status, body: body))
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .server(status: status))
        #expect(error.reason.contains(word))
        #expect(error.provider == "plusauth")
        try await expectNothingLeft(in: harness)
    }

    @Test(arguments: [
        "missing_token", "invalid_authorization_scheme", "invalid_audience", "invalid_issuer",
        "missing_scope", "unauthorized_user",
    ])
    func `401 says that the code is spent`(word: String) async throws {
        let harness = try PlusAuthHarness()
        await harness.server.reply(.refusal(401, word))
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .invalidInvitation)
        try await expectNothingLeft(in: harness)
    }

    @Test func `409 says that the device is enrolled already`() async throws {
        let harness = try PlusAuthHarness()
        await harness.server.refuse(409)
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .alreadyEnrolled)
        try await expectNothingLeft(in: harness)
    }

    @Test(arguments: [
        #"{"error":"invalid_entity"}"#, #"{"status":422,"error":"invalid_entity","x":[]}"#,
        #" {"error_description":{}, "error":"invalid\u005fentity"} "#,
    ])
    func `of an error's body the documented word is what counts`(body: String) async throws {
        let harness = try PlusAuthHarness()
        await harness.server.reply(.init(status: 422, body: body))
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .server(status: 422))
        #expect(error.reason.contains("invalid_entity"))
        try await expectNothingLeft(in: harness)
    }

    @Test func `an error's text isn't taken from the server`() async throws {
        let body = #"{"error":"enr+Qk2/0001=","error_description":"Bearer enr+Qk2/0001="}"#
        for status in [400, 401, 403, 409, 422] {
            let harness = try PlusAuthHarness()
            await harness.server.reply(.init(status: status, body: body))
            let error = try await refusal { try await harness.enroll() }
            #expect(!"\(error) \(String(reflecting: error))".contains("enr+Qk2"))
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is refused, and nobody else gets the bearer`(status: Int) async throws {
        let harness = try PlusAuthHarness()
        await harness.server.reply(
            .init(status: status, fields: ["Location": "https://evil.example/enroll"]))
        await #expect(throws: PushError.self) { try await harness.enroll() }
        #expect(await harness.transport.exchanges.count == 1)
    }

    @Test func `a server that isn't reached leaves nothing, and the code still works`()
        async throws
    {
        let harness = try PlusAuthHarness()
        await harness.faults.next(.refuse)
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .unreachable)
        try await expectNothingLeft(in: harness)
        #expect(try await harness.enroll().state == .active)
    }

    private func expectNothingLeft(
        in harness: PlusAuthHarness, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(
            try await harness.authenticator.enrollments().isEmpty, sourceLocation: sourceLocation)
        if let posted = await harness.enrollments().last {
            let message = try ContextJWT(posted.key()).message()
            #expect(
                try await harness.refusal(of: message).code == .untrusted,
                sourceLocation: sourceLocation)
        }
    }

    @Test func `a store that can't forget hides no refusal`() async throws {
        let harness = try PlusAuthHarness()
        let (store, locked) = (harness.store, PushError(.storage, "The store is locked."))
        await harness.server.refuse(422)
        await harness.server.whileWorking {
            await store.refuseWrites { $0.collection == "enrollment" ? locked : nil }
        }
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .server(status: 422))
        #expect(
            harness.observer.observations.contains {
                $0.kind == .refused(.storage) && $0.enrollment?.provider == "plusauth"
            })
    }

    @Test func `a store that is full by the reply leaves the account pending, and says so`()
        async throws
    {
        let harness = try PlusAuthHarness()
        let (store, full) = (harness.store, PushError(.storage, "Full."))
        await harness.server.whileWorking {
            await store.refuseWrites { $0.collection == "enrollment" ? full : nil }
        }
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .storage)
        #expect(error.reason.hasPrefix("Full. PlusAuth has this device"), "\(error.reason)")
        #expect(
            try await harness.authenticator.enrollments().map(\.state)
                == [.pending(.unconfirmed)])
    }

    // MARK: Lost replies

    @Test func `the account is on record as pending before anything is sent`() async throws {
        let harness = try PlusAuthHarness()
        let authenticator = harness.authenticator
        let seen = Seen()
        await harness.server.whileWorking {
            await seen.note(try? await authenticator.enrollments().map(\.state))
        }
        try await harness.enroll()
        #expect(await seen.states == [.pending(.unconfirmed)])
    }

    private actor Seen {
        private(set) var states: [Enrollment.State]?
        func note(_ states: [Enrollment.State]?) { self.states = states }
    }

    @Test(
        arguments: [
            .dropAfter, .dropBefore, .status(500), .status(502), .status(503), .status(504),
            .status(599),
        ] as [FaultPlan.Fault])
    func `a lost reply leaves the account pending`(fault: FaultPlan.Fault) async throws {
        let harness = try PlusAuthHarness()
        await harness.faults.next(fault)
        _ = try? await harness.enroll()
        #expect(
            try await harness.authenticator.enrollments().map(\.state) == [.pending(.unconfirmed)])
    }

    @Test func `the first push that its key verifies confirms a pending account`() async throws {
        let harness = try PlusAuthHarness()
        await harness.faults.next(.dropAfter)
        _ = try? await harness.enroll()
        let key = try await harness.key()
        let forged = ContextJWT(AccountKey.stranger()).with(header: "kid", .string(key.id))
        _ = try await harness.refusal(of: forged.message())
        #expect(try await harness.account().state == .pending(.unconfirmed))
        let challenge = try await harness.challenge(ContextJWT(key))
        let account = try await harness.account()
        #expect(account.state == .active)
        // Its device token is known, though no call could have told it since.
        #expect(try await harness.authenticator.deviceTokenStates() == [account.id: .current])
        #expect(try await harness.authenticator.resolve(challenge, with: .approve) == .delivered)
    }

    @Test func `a pending account has its codes already`() async throws {
        let harness = try PlusAuthHarness()
        await harness.faults.next(.dropAfter)
        _ = try? await harness.enroll()
        #expect(try await harness.code() == "435223")
    }

    // MARK: Scanning again

    @Test func `scanning the same account again makes a new key, and replaces the old account`()
        async throws
    {
        let harness = try PlusAuthHarness()
        let first = try await harness.enroll()
        let oldKey = try await harness.key()
        let second = try await harness.enroll()
        #expect(try await harness.key().id != oldKey.id)
        #expect(try await harness.authenticator.enrollments().map(\.id) == [second.id])
        #expect(first.id != second.id)
        #expect(try await harness.refusal(of: ContextJWT(oldKey).message()).code == .untrusted)
        _ = try await harness.challenge(ContextJWT(harness.key()))
    }

    @Test(arguments: [401, 409, 422])
    func `the old account stays until the new one is sure`(status: Int) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        await harness.server.refuse(status)
        await #expect(throws: PushError.self) { try await harness.enroll() }
        #expect(try await harness.authenticator.enrollments().map(\.id.name) == [key.id])
        _ = try await harness.challenge(ContextJWT(key))
    }

    @Test(arguments: [.dropAfter, .status(500)] as [FaultPlan.Fault])
    func `the old account stays where the new one's reply was lost`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let key = try await harness.key()
        await harness.faults.next(fault)
        _ = try? await harness.enroll()
        #expect(try await harness.authenticator.enrollments().count == 2)
        _ = try await harness.challenge(ContextJWT(key))
    }

    @Test func `another account, issuer or origin replaces nothing`() async throws {
        let harness = try PlusAuthHarness()
        let codes = [
            EnrollmentCode(), .account("bob"), .at("https://other.plusauth.example/enroll"),
            .at("https://tenant.plusauth.example:8443/enroll"),
            EnrollmentCode().with("issuer", "Other").with(label: "Other:ada%40example.com"),
        ]
        for code in codes { try await harness.enroll(code) }
        #expect(try await harness.authenticator.enrollments().count == codes.count)
    }
}

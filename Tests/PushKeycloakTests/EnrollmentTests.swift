import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// Enrolling by token and by reference, and what a refusal or a lost reply leaves.
@Suite struct EnrollmentTests {
    typealias Reply = ScriptedReply

    private let claims: JSON.Object

    init() throws { claims = try Vectors().object("code") }

    private func code(
        _ changes: [String: JSON?] = [:], by key: RealmTestKey = .one
    ) throws -> String {
        "my-secure://enroll?token=\(try key.signed(claims.with(changes)))"
    }

    private static let reference =
        "my-secure://enroll?request_uri=https%3A%2F%2Fsso.example%2Frealms%2Fdemo%2Fpush-mfa%2F"
        + "enroll%2Frequest-token%2F\(Sample.handle)"

    @Test func `a token enrolls, and the record is active with its device token`() async throws {
        let harness = try await ScriptedHarness()
        try await harness.authenticator.deviceTokenChanged(Sample.token)
        let enrollment = try await harness.enroll(code())
        #expect(enrollment.state == .active && enrollment.account == "jane")
        #expect(enrollment.issuer == "demo" && enrollment.host == "sso.example")
        #expect(enrollment.deviceToken == Sample.token)
        _ = try await harness.authenticator.resume()
        #expect(await harness.exchanges(.address).isEmpty)
    }

    @Test func `without a device token the realm is told that it has none`() async throws {
        let harness = try await ScriptedHarness()
        try await harness.enroll(code())
        let claims = try #require(try await harness.tokens(.complete).first).claims
        #expect(claims["pushProviderType"] == "none" && claims["pushProviderId"] == nil)
    }

    @Test func `two enrollments of one user have no name and no key in common`() async throws {
        let harness = try await ScriptedHarness()
        try await harness.enroll(code())
        try await harness.enroll(code())
        let sent = try await harness.tokens(.complete).map(\.claims)
        for name in ["credentialId", "deviceId", "cnf"] {
            #expect(Set(sent.compactMap { $0[name]?.text }).count == 2)
        }
    }

    @Test func `a nonce of the standard alphabet is echoed byte for byte`() async throws {
        let harness = try await ScriptedHarness()
        try await harness.enroll(code(["nonce": "a+/b"]))
        #expect(try await harness.tokens(.complete).first?.claims["nonce"] == "a+/b")
    }

    // MARK: By reference

    @Test func `a reference is fetched without any credential, and enrolls`() async throws {
        let harness = try await ScriptedHarness()
        let token = try RealmTestKey.one.signed(claims)
        await harness.server.reply(to: .request, Reply(body: token, type: "application/jwt"))
        let enrollment = try await harness.enroll(Self.reference)
        #expect(enrollment.state == .active && enrollment.account == "jane")
        let request = try #require(await harness.exchanges(.request).first?.request)
        #expect(request.headerFields[.accept] == "application/jwt")
        #expect(request.headerFields[.authorization] == nil)
    }

    @Test func `a reference that the realm no longer knows is spent`() async throws {
        let harness = try await ScriptedHarness()
        let error = try await refusal { try await harness.enroll(Self.reference) }
        #expect(error.code == .invitationSpent)
        #expect(await harness.transport.exchanges.count == 1)
    }

    @Test(arguments: [
        Reply.page(200), .page(404), .refusal(404, "Not Found"), .refusal(400, "Invalid UUID"),
        Reply(body: "hello", type: "application/jwt"), .json([:]),
    ])
    func `what isn't the realm's token behind a reference spends nothing`(
        reply: Reply
    ) async throws {
        let harness = try await ScriptedHarness()
        await harness.server.reply(to: .request, reply)
        let error = try await refusal { try await harness.enroll(Self.reference) }
        #expect(error.code == (reply.status == 200 ? .interrupted : .server(status: reply.status)))
        #expect(try await harness.authenticator.enrollments().isEmpty)
        let token = try RealmTestKey.one.signed(claims)
        await harness.server.reply(to: .request, Reply(body: token, type: "application/jwt"))
        #expect(try await harness.enroll(Self.reference).state == .active)
    }

    // MARK: What the token must be

    @Test(
        arguments: [
            (["aud": "other"], PushError.Code.untrusted), (["aud": nil], .untrusted),
            (["aud": ["x", "y"]], .untrusted), (["exp": 1_760_000_000], .invitationSpent),
            (["exp": nil], .invalidInvitation), (["sub": nil], .invalidInvitation),
            (["enrollmentId": "1"], .invalidInvitation), (["nonce": ""], .invalidInvitation),
        ] as [([String: JSON?], PushError.Code)])
    func `a token that isn't as documented enrolls nobody, and nothing is sent of it`(
        changes: [String: JSON?], code: PushError.Code
    ) async throws {
        let harness = try await ScriptedHarness()
        let error = try await refusal { try await harness.enroll(self.code(changes)) }
        #expect(error.code == code)
        #expect(await harness.transport.exchanges.count == 1)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test func `a token that the realm hasn't signed enrolls nobody`() async throws {
        let harness = try await ScriptedHarness()
        for code in [
            try code(by: .other), try code().dropLast(4) + "AAAA",
            "my-secure://enroll?token="
                + (try RealmTestKey.other.signed(claims, header: ["kid": "realm-key-1"])),
        ] {
            let error = try await refusal { try await harness.enroll(String(code)) }
            #expect(error.code == .untrusted)
        }
        #expect(await harness.exchanges(.complete).isEmpty)
    }

    @Test func `an audience may be a list with the realm's name`() async throws {
        let harness = try await ScriptedHarness()
        #expect(try await harness.enroll(code(["aud": ["account", "demo"]])).state == .active)
    }

    @Test func `a code's time is judged by the realm's clock where its replies tell it`()
        async throws
    {
        let harness = try await ScriptedHarness()
        await harness.server.tellTime(ahead: .seconds(-3600))
        let code = try code(["exp": 1_759_996_500, "iat": 1_759_996_300])
        #expect(try await harness.enroll(code).state == .active)
        await harness.server.tellTime(ahead: .seconds(3600))
        harness.clock.advance(by: .seconds(5))
        let late = try await refusal { try await harness.enroll(self.code()) }
        #expect(late.code == .invitationSpent)
    }

    // MARK: What becomes of it

    @Test(arguments: [
        (Reply.refusal(404, "Challenge not found"), PushError.Code.invitationSpent),
        (.refusal(400, "Challenge already resolved or expired"), .invitationSpent),
        (.refusal(400, "enrollment token expired"), .invitationSpent),
        (.refusal(403, "Nonce mismatch"), .invalidInvitation),
        (.refusal(404, "User not found"), .invalidInvitation),
        (.refusal(403, "Challenge does not belong to user"), .invalidInvitation),
        (.refusal(409, "Challenge is currently being resolved"), .unreachable),
        (.refusal(400, "Field too long: deviceLabel"), .server(status: 400)),
        (.refusal(400, "Missing field: deviceType"), .server(status: 400)),
        (.refusal(403, "Invalid enrollment token signature"), .server(status: 403)),
    ])
    func `a refusal leaves no record`(reply: Reply, code: PushError.Code) async throws {
        let harness = try await ScriptedHarness()
        await harness.server.reply(to: .complete, reply)
        #expect(try await refusal { try await harness.enroll(self.code()) }.code == code)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test(arguments: [FaultPlan.Fault.dropAfter, .dropBefore])
    func `after a lost reply the list tells whether it is enrolled`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = try await ScriptedHarness()
        await harness.faults.next(fault) { ScriptedServer.Kind($0) == .complete }
        let half = try await harness.enroll(code())
        #expect(half.state == .pending(.unconfirmed))
        guard fault == .dropBefore else {
            #expect(try await harness.authenticator.refresh(half.id).state == .active)
            return
        }
        await harness.server.replyAlways(
            to: .list, .refusal(403, "Device not registered for user"))
        let error = try await refusal { try await harness.authenticator.refresh(half.id) }
        #expect(error.code == .unknownEnrollment)
        #expect(try await harness.authenticator.enrollment(half.id)?.state == .needsReenrollment)
    }

    @Test(arguments: [
        Reply.page(200), .json([:]), .word("ok"), .page(500), .page(502),
        .refusal(500, "unknown_error"),
    ])
    func `what says nothing of an enrollment leaves half of one`(reply: Reply) async throws {
        let harness = try await ScriptedHarness()
        await harness.server.reply(to: .complete, reply)
        let half = try await harness.enroll(code())
        #expect(half.state == .pending(.unconfirmed))
        #expect(try await harness.authenticator.refresh(half.id).state == .active)
    }

    @Test(arguments: [
        Reply.page(403), .refusal(403, "access_denied"), .refusal(403, "Field too long: x"),
    ])
    func `a gateway's no says nothing, so half an enrollment stays`(reply: Reply) async throws {
        let harness = try await ScriptedHarness()
        await harness.server.reply(to: .complete, reply)
        let error = try await refusal { try await harness.enroll(self.code()) }
        #expect(error.code == .server(status: 403))
        #expect(
            try await harness.authenticator.enrollments().map(\.state) == [.pending(.unconfirmed)])
    }

    @Test func `a push for half an enrollment confirms it`() async throws {
        let harness = try await ScriptedHarness()
        await harness.faults.next(.dropAfter) { ScriptedServer.Kind($0) == .complete }
        let half = try await harness.enroll(code())
        let push = try harness.push(["credId": .string(half.id.name)])
        #expect(try await harness.authenticator.receive(push).map(\.isNew) == [true])
        #expect(try await harness.authenticator.enrollment(half.id)?.state == .active)
    }

    @Test(arguments: [ScriptedServer.Kind.keys, .token])
    func `trouble before the device's key is sent leaves nothing, and the code can be used`(
        kind: ScriptedServer.Kind
    ) async throws {
        for fault in [FaultPlan.Fault.refuse, .dropBefore, .dropAfter, .status(503)] {
            let harness = try await ScriptedHarness()
            await harness.faults.next(fault) { ScriptedServer.Kind($0) == kind }
            _ = try await refusal { try await harness.enroll(self.code()) }
            #expect(try await harness.authenticator.enrollments().isEmpty)
            #expect(await harness.exchanges(.complete).isEmpty)
            #expect(try await harness.enroll(code()).state == .active)
        }
    }
}

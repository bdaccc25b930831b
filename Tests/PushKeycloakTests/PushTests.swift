import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// What a pushed or linked confirm token comes to.
@Suite struct PushTests {
    @Test func `a genuine push announces its challenge without a word of its own`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let reception = try #require(
            try await harness.authenticator.receive(harness.push()).first)
        guard case .notice(let notice, _) = reception.kind else {
            Issue.record("It is \(reception.kind).")
            return
        }
        #expect(notice.id == harness.challengeID && notice.proof == .signature)
        #expect(notice.title == nil && notice.body == nil)
        #expect(notice.issued == Sample.now && notice.expiry == Sample.end)
        #expect(await harness.exchanges(.list).isEmpty)
    }

    @Test(arguments: [PushMessage.Channel.link, .scanned])
    func `a same-device link announces it as well, and a repeat is one challenge`(
        channel: PushMessage.Channel
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let token = try RealmTestKey.one.signed(Vectors().object("confirm"))
        let link = PushMessage(text: "my-secure://confirm?token=\(token)", by: channel)
        #expect(try await harness.authenticator.receive(link).map(\.isNew) == [true])
        #expect(try await harness.authenticator.receive(harness.push()).map(\.isNew) == [false])
    }

    @Test(
        arguments: [
            (["iss": "https://sso.example/realms/other"], PushError.Code.untrusted),
            (["credId": "3e8f7a10-58a4-4b6d-9d9a-5d1d3c2b1a00"], .unknownEnrollment),
            (["cid": "1"], .malformed), (["cid": "../../../token/x"], .malformed),
            (["exp": nil], .malformed), (["exp": "1760000240"], .malformed),
            (["exp": 9_007_199_254_740_990], .malformed), (["typ": "Bearer"], .malformed),
            (["ver": nil], .malformed),
        ] as [([String: JSON?], PushError.Code)])
    func `a push that isn't as documented announces nothing`(
        changes: [String: JSON?], code: PushError.Code
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        let push = try harness.push(changes)
        let error = try await refusal { try await harness.authenticator.receive(push) }
        #expect(error.code == code)
        #expect(try await harness.authenticator.records().isEmpty)
    }

    @Test(arguments: [["typ": 2], ["ver": 2], ["typ": 0]] as [[String: JSON?]])
    func `a newer kind can only be denied, though the list has it as any other`(
        changes: [String: JSON?]
    ) async throws {
        for isPushedFirst in [true, false] {
            let harness = try await ScriptedHarness.enrolled()
            await harness.server.list(try Vectors().object("listed"))
            if !isPushedFirst { _ = try await harness.authenticator.pending(for: harness.id) }
            _ = try await harness.authenticator.receive(harness.push(changes))
            _ = try await harness.authenticator.pending(for: harness.id)
            let challenge = try await harness.authenticator.challenge(harness.challengeID)
            guard case .denyOnly = challenge.prompt else {
                Issue.record("It can be answered with \(challenge.prompt).")
                return
            }
            #expect(
                try await harness.authenticator.resolve(challenge, with: .deny(.unexpected))
                    == .delivered)
        }
    }

    @Test(
        arguments: [
            ["credId": nil], ["iss": nil], ["cid": nil], ["cid": 7],
        ] as [[String: JSON?]])
    func `a token without what leads to its enrollment is somebody else's`(
        changes: [String: JSON?]
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        #expect(harness.provider.candidate(in: try harness.push(changes)) == nil)
        #expect(harness.provider.candidate(in: PushMessage(fcm: ["token": "a.b.c"])) == nil)
        #expect(harness.provider.candidate(in: PushMessage(fcm: ["code": "1"])) == nil)
    }

    // MARK: The realm's keys

    @Test func `a push by no key of the realm's is refused, and is no reason to ask`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let forged = [
            try harness.push(by: .other),
            PushMessage(fcm: [
                "token": try RealmTestKey.other.signed(
                    Vectors().object("confirm"), header: ["kid": "realm-key-1"])
            ]),
        ]
        for push in forged {
            let error = try await refusal { try await harness.authenticator.receive(push) }
            #expect(error.code == .untrusted)
        }
        #expect(await harness.exchanges(.list).isEmpty)
        #expect(try await harness.authenticator.records().isEmpty)
    }

    @Test func `however many pushes name unknown keys, they are asked for once a minute`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        for number in 0..<20 {
            let push = PushMessage(fcm: [
                "token": try RealmTestKey.other.signed(
                    Vectors().object("confirm"), header: ["kid": .string("unknown-\(number)")])
            ])
            let error = try await refusal { try await harness.authenticator.receive(push) }
            #expect(error.code == .untrusted)
        }
        #expect(await harness.exchanges(.keys).count == 1)
    }

    @Test func `a key that the realm rotates in is found while its push is verified`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        _ = try await harness.authenticator.receive(harness.push())
        await harness.server.tellKeys([.other, .one])
        harness.clock.advance(by: .seconds(61))
        let push = try harness.push(
            ["cid": "2a6d6a0b-3385-4772-8eb8-0d2f4dbd25a4"], by: .other)
        #expect(try await harness.authenticator.receive(push).map(\.isNew) == [true])
        #expect(await harness.exchanges(.keys).count == 2)
    }

    @Test(arguments: [FaultPlan.Fault.refuse, .dropAfter, .status(503)])
    func `a push whose keys can't be had proves nothing, and is a reason to ask the list`(
        fault: FaultPlan.Fault
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.list(try Vectors().object("listed"))
        await harness.faults.next(fault) { ScriptedServer.Kind($0) == .keys }
        #expect(try await harness.authenticator.receive(harness.push()).map(\.isNew) == [true])
        let record = try #require(
            try await harness.authenticator.record(of: harness.challengeID))
        #expect(record.notice.proof == .fetched)
    }

    @Test func `a stranger's push leads to no listing and to no request`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let before = await harness.reads.listings
        let push = try harness.push(["credId": "nobody"], by: .other)
        _ = try await refusal { try await harness.authenticator.receive(push) }
        #expect(await harness.reads.listings == before)
        #expect(await harness.transport.exchanges.isEmpty)
    }

    // MARK: What a link brings

    @Test(arguments: [true, false])
    func `the answer that a link brings is nobody's: the user gives it`(
        isFirst: Bool
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.list(try Vectors().object("listed"))
        let token = try RealmTestKey.one.signed(
            Vectors().object("confirm").with(["userVerification": "34"]))
        let link = PushMessage(text: "my-secure://confirm?token=\(token)", by: .link)
        for message in isFirst ? [link, try harness.push()] : [try harness.push(), link] {
            _ = try await harness.authenticator.receive(message)
        }
        let challenge = try await harness.authenticator.challenge(harness.challengeID)
        #expect(challenge.prompt == .choose(["5", "34", "56"]))
        for wrong in [Resolution.approve, .enter("34")] {
            _ = try await refusal {
                try await harness.authenticator.resolve(challenge, with: wrong)
            }
        }
        #expect(await harness.exchanges(.answer).isEmpty)
        _ = try await harness.authenticator.resolve(challenge, with: .choose("56"))
        #expect(try await harness.tokens(.answer).map { $0.claims["userVerification"] } == ["56"])
    }
}

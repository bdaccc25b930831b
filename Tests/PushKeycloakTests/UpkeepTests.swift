import HTTPTypes
import PushCore
import PushTesting
import Testing

@testable import PushKeycloak

/// Device tokens, the panic button, and the end of an enrollment.
@Suite struct UpkeepTests {
    private func told(_ harness: ScriptedHarness) async throws -> [JSON] {
        try await harness.bodies(.address)
    }

    @Test func `a changed device token, and none, are told in the extension's words`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let account = try await harness.accounts.existing(harness.id)
        try await harness.provider.enroller.update(.fcm("fcm-token-2"), of: account)
        try await harness.provider.enroller.update(nil, of: account)
        #expect(
            try await told(harness) == [
                ["pushProviderType": "fcm", "pushProviderId": "fcm-token-2"],
                ["pushProviderType": "none", "pushProviderId": "disabled"],
            ])
        #expect(await harness.exchanges(.address).first?.request.method == .put)
    }

    @Test func `the realm's word that nothing changed is as good`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .address, .word("unchanged"))
        try await harness.provider.enroller.update(
            Sample.token, of: harness.accounts.existing(harness.id))
    }

    @Test func `Apple's tokens are told only by the word that the app has for them`()
        async throws
    {
        let plain = try await ScriptedHarness.enrolled()
        #expect(plain.provider.pushServices == [.fcm])
        let harness = try await ScriptedHarness.enrolled { $0.apnsProviderType = "our-apns" }
        #expect(harness.provider.pushServices == [.apns, .fcm])
        try await harness.provider.enroller.update(
            .apns(hex: "ABCD", isSandbox: true), of: harness.accounts.existing(harness.id))
        #expect(
            try await told(harness) == [
                ["pushProviderType": "our-apns", "pushProviderId": "ABCD"]
            ])
    }

    @Test func `a new device token of the app's reaches the realm`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await harness.authenticator.deviceTokenChanged(.fcm("fcm-token-3"))
        #expect(try await told(harness).last?["pushProviderId"] == "fcm-token-3")
    }

    // MARK: The panic button

    private func isBlocked(_ harness: ScriptedHarness) async throws -> Bool {
        if case .blocked? = try await harness.authenticator.enrollment(harness.id)?.state {
            true
        } else {
            false
        }
    }

    @Test(arguments: ["locked_out", "locked"])
    func `a lockout blocks the enrollment until the realm asks it something newer`(
        word: String
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .lockout, .word(word))
        try await harness.lockOut()
        let exchange = try #require(await harness.exchanges(.lockout).first)
        #expect(exchange.request.method == .post && exchange.body.isEmpty)
        #expect(try await isBlocked(harness))
        // A list without a challenge says nothing of the account.
        _ = try await harness.authenticator.refresh(harness.id)
        #expect(try await isBlocked(harness))
        // Nor does what was asked before.
        await harness.server.list(try Vectors().object("listed"))
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(try await isBlocked(harness))
        await harness.server.list(
            try Vectors().object("listed").with(["createdAt": 1_760_000_001]))
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
        try await harness.lockOut()
        #expect(try await isBlocked(harness))
    }

    @Test func `where the app asks, any challenge tells that a lockout is over`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await harness.lockOut()
        await harness.server.list(try Vectors().object("listed").with(["createdAt": nil]))
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(try await isBlocked(harness))
        #expect(try await harness.authenticator.refresh(harness.id).state == .active)
    }

    @Test func `after a lockout no yes goes out, be it new or on record, and a no does`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        let challenge = try await harness.challenge()
        await harness.faults.next(.dropBefore) { ScriptedServer.Kind($0) == .answer }
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        let name = "2a6d6a0b-3385-4772-8eb8-0d2f4dbd25a4"
        let listed = try Vectors().object("listed").with(["userVerification": nil])
        await harness.server.list(listed, listed.with(["cid": .string(name)]))
        _ = try await harness.authenticator.pending(for: harness.id)
        let other = try await harness.authenticator.challenge(
            Challenge.ID(name, of: harness.id))
        try await harness.lockOut()
        _ = try? await harness.authenticator.resume()
        let error = try await refusal {
            try await harness.authenticator.resolve(other, with: .approve)
        }
        #expect(error.code == .blocked)
        #expect(await harness.exchanges(.answer).isEmpty)
        #expect(
            try await harness.authenticator.resolve(other, with: .deny(.unexpected)) == .delivered)
        #expect(try await harness.tokens(.answer).map { $0.claims["action"] } == ["deny"])
    }

    @Test func `a lockout whose reply is lost is unknown, and may be sent again`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.faults.next(.dropAfter) { ScriptedServer.Kind($0) == .lockout }
        #expect(try await refusal { try await harness.lockOut() }.code == .interrupted)
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
        try await harness.lockOut()
        #expect(await harness.exchanges(.lockout).count == 2)
    }

    // MARK: The end

    @Test func `removing an enrollment here asks nobody`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        try await harness.authenticator.remove(harness.id, from: .device)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(await harness.transport.exchanges.isEmpty)
    }

    @Test(arguments: [true, false])
    func `removing it everywhere stops its pushes where the realm can be reached`(
        isReached: Bool
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        if !isReached { await harness.faults.next(.refuse) }
        try await harness.authenticator.remove(harness.id, from: .everywhere)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(
            try await told(harness).map { $0["pushProviderType"] } == (isReached ? ["none"] : []))
    }

    @Test func `a removal that is broken off leaves no device token on record`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let writes = Locked(0)
        await harness.store.refuseWrites { _ in
            writes.withLock { $0 += 1 }
            return writes.withLock { $0 } > 1 ? PushError(.storage, "The disk is full.") : nil
        }
        let account = try await harness.accounts.existing(harness.id)
        _ = try await refusal {
            try await harness.provider.enroller.remove(account, from: .everywhere)
        }
        await harness.store.refuseWrites(nil)
        #expect(try await told(harness).last?["pushProviderType"] == "none")
        let left = try #require(try await harness.authenticator.enrollment(harness.id))
        #expect(left.deviceToken == nil)
    }

    @Test func `a device that the realm has dropped is removed without another word`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.replyAlways(
            to: .address, .refusal(403, "Device not registered for user"))
        let account = try await harness.accounts.existing(harness.id)
        try await harness.provider.enroller.remove(account, from: .everywhere)
        #expect(account.enrollment.state == .active)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test func `what a device token's change tells of a device that is gone is kept`()
        async throws
    {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .address, .refusal(403, "Device not registered for user"))
        let error = try await refusal {
            try await harness.provider.enroller.update(
                nil, of: harness.accounts.existing(harness.id))
        }
        #expect(error.code == .unknownEnrollment)
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .needsReenrollment)
    }

    @Test func `nothing of an enrollment may leave the device`() async throws {
        let harness = try await ScriptedHarness.enrolled()
        let export = try await harness.authenticator.export([harness.id])
        guard case .notExportable? = export.entries.first?.result else {
            Issue.record("It left.")
            return
        }
    }
}

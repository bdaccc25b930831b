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

    @Test(arguments: ["locked_out", "locked"])
    func `a lockout blocks the enrollment until the realm asks it again`(
        word: String
    ) async throws {
        let harness = try await ScriptedHarness.enrolled()
        await harness.server.reply(to: .lockout, .word(word))
        try await harness.lockOut()
        let exchange = try #require(await harness.exchanges(.lockout).first)
        #expect(exchange.request.method == .post && exchange.body.isEmpty)
        guard case .blocked? = try await harness.authenticator.enrollment(harness.id)?.state else {
            Issue.record("It isn't blocked.")
            return
        }
        // A list without a challenge says nothing of the account.
        _ = try await harness.authenticator.refresh(harness.id)
        guard case .blocked? = try await harness.authenticator.enrollment(harness.id)?.state else {
            Issue.record("An empty list has unlocked it.")
            return
        }
        await harness.server.list(try Vectors().object("listed"))
        _ = try await harness.authenticator.pending(for: harness.id)
        #expect(try await harness.authenticator.enrollment(harness.id)?.state == .active)
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

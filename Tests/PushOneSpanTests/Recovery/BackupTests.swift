import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// A store or a server that went back in time: −1302 and what follows of
/// `docs/vendors/onespan-ooc.md#8-what-every-command-goes-through`.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
    /// A device whose credential is as it was three logins ago.
    private func restored() async throws -> OneSpanHarness {
        let handset = try await OneSpanHarness.joined()
        let backup = await handset.store.backup()
        for _ in 0..<3 { _ = try await handset.approve(handset.site.login()) }
        try await handset.store.restore(backup)
        await handset.site.server.forget()
        return try await handset.restarted()
    }

    @Test func `a fetch recovers by itself, and the answer after it works`() async throws {
        let handset = try await restored()
        let site = handset.site
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        #expect(await site.server.types == [0x21, 0x21])
        let counters = await site.server.arrivals.map(\.counter)
        #expect(counters[1] > counters[0] + 1)
        #expect(
            try await handset.authenticator.resolve(challenge, with: .approve) == .delivered)
        #expect(await site.server.types == [0x21, 0x21, 0x23])
    }

    @Test func `a registration recovers by itself`() async throws {
        let handset = try await restored()
        #expect(try await handset.authenticator.deviceTokenChanged(.fcm("later")).isEmpty)
        #expect(await handset.site.server.types == [0x10, 0x10])
        #expect(try await handset.device().deviceToken == .fcm("later"))
    }

    @Test func `no counter is used twice with one flow`() async throws {
        let handset = try await OneSpanHarness.joined()
        let backup = await handset.store.backup()
        _ = try await handset.approve(handset.site.login())
        try await handset.store.restore(backup)
        let later = try await handset.restarted()
        _ = try await later.approve(handset.site.login())
        let sent = await handset.site.server.arrivals
        let headers = sent.map { $0.bytes.prefix(52) }
        #expect(Set(headers).count == sent.count)
    }

    @Test(arguments: [false, true])
    func `an answer whose counter was used is decided once, as the user did`(
        isApproval: Bool
    ) async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let account = try await handset.account()
        let (old, enrollment): (Secret, _) = (try account.credential(), account.enrollment)
        for _ in 0..<3 { _ = try await handset.approve(site.login()) }
        let request = try await site.pinLogin()
        let challenge = try await handset.open(request)
        // Its own halves alone go back: the flow is in memory, and the row stays.
        try await handset.account().change { (credential: inout Secret, now) in
            (credential, now) = (old, enrollment)
        }
        let resolution: Resolution = isApproval ? .approve : .deny(.unexpected)
        var outcome = try? await handset.authenticator.resolve(challenge, with: resolution)
        if outcome != .delivered {
            let again = try? await handset.authenticator.challenge(challenge.id)
            if let again {
                outcome = try await handset.authenticator.resolve(again, with: resolution)
            } else {
                outcome = try await handset.authenticator.resume()[challenge.id]
            }
        }
        #expect(outcome == .delivered)
        #expect(await site.status(request) == (isApproval ? .accepted : .refused))
    }

    @Test func `a server that went back takes the device as it is`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        await site.tenant.saveDevices(of: Sample.user)
        for _ in 0..<3 { _ = try await handset.approve(site.login()) }
        await site.tenant.restoreDevices(of: Sample.user)
        #expect(try await handset.approve(site.pinLogin()) == .delivered)
    }

    @Test func `a backup of an unregistered device registers again`() async throws {
        let handset = try await OneSpanHarness.joined()
        let backup = await handset.store.backup()
        try await handset.authenticator.deviceTokenChanged(.fcm("token-b"))
        try await handset.store.restore(backup)
        let later = try await handset.restarted()
        try await later.authenticator.deviceTokenChanged(.fcm("token-b"))
        #expect(try await later.device().deviceToken == .fcm("token-b"))
        #expect(try await later.authenticator.deviceTokenChanged(.fcm("token-b")).isEmpty)
    }

    @Test func `an error that names a counter but isn't proved raises nothing`() async throws {
        let handset = try await OneSpanHarness.joined()
        await handset.site.tenant.next(reply: OneSpanSimulator.ReplyFault.clearError(-1302))
        let request = try await handset.site.login()
        await #expect(throws: PushError.self) { _ = try await handset.open(request) }
        #expect(await handset.site.server.types == [0x21])
        _ = try await handset.authenticator.challenge(handset.id(request))
        let counters = await handset.site.server.arrivals.map(\.counter)
        #expect((counters.max() ?? 0) <= (counters.min() ?? 0) + 1)
    }
}

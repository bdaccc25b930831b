import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// The notification identifier, per user, and its mark:
/// `docs/vendors/onespan.md#notification-registration`.
@Suite(.timeLimit(.minutes(10))) struct IdentifierTests {
    @Test func `an unchanged identifier makes no traffic`() async throws {
        let handset = try await OneSpanHarness.joined()
        for _ in 0..<2 {
            let failures = try await handset.authenticator.deviceTokenChanged(.fcm("token-a"))
            #expect(failures.isEmpty)
        }
        try await handset.restarted().start()
        #expect(await handset.site.server.types.isEmpty)
    }

    @Test func `a changed one makes one round trip`() async throws {
        let handset = try await OneSpanHarness.joined()
        try await handset.authenticator.deviceTokenChanged(.fcm("token-b"))
        #expect(await handset.site.server.types == [0x10])
        #expect(try await handset.device().deviceToken == .fcm("token-b"))
        #expect(
            try await handset.authenticator.deviceTokenStates().values.allSatisfy {
                $0 == .current
            })
    }

    @Test func `the first reply lost, the old identifier is registered again`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        await site.server.next(.lose, at: 0x10)
        let failures = try await handset.authenticator.deviceTokenChanged(.fcm("token-b"))
        #expect(failures.count == 1)
        #expect(try await handset.device().deviceToken == .fcm("token-b"))
        // The system goes back to the first token. Without the mark it would compare equal.
        try await handset.authenticator.deviceTokenChanged(.fcm("token-a"))
        #expect(try await handset.device().deviceToken == .fcm("token-a"))
        #expect(await site.server.types == [0x10, 0x10])
    }

    @Test func `so it is after the process died with the reply under way`() async throws {
        let handset = try await OneSpanHarness.joined()
        await handset.site.server.next(.lose, at: 0x10)
        try await handset.authenticator.deviceTokenChanged(.fcm("token-b"))
        let later = try await handset.restarted()
        try await later.authenticator.deviceTokenChanged(.fcm("token-a"))
        #expect(try await later.device().deviceToken == .fcm("token-a"))
    }

    @Test func `a failed registration is made up for at the next start`() async throws {
        let handset = try await OneSpanHarness.joined()
        await handset.site.server.next(.refuse, at: 0x10)
        let failures = try await handset.authenticator.deviceTokenChanged(.fcm("token-b"))
        #expect(failures.count == 1)
        #expect(
            try await handset.authenticator.deviceTokenStates().values.contains(.waiting))
        let later = try await handset.restarted()
        try await later.authenticator.resume()
        #expect(try await later.device().deviceToken == .fcm("token-b"))
    }

    @Test func `a refused registration is told, and isn't taken for done`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        try await site.tenant.lock(Sample.user)
        let failures = try await handset.authenticator.deviceTokenChanged(.fcm("token-b"))
        #expect(failures.values.map(\.oneSpan) == [.userLocked])
        #expect(try await handset.state == .active)
        try await site.tenant.unlock(Sample.user)
        try await handset.authenticator.resume()
        #expect(try await handset.device().deviceToken == .fcm("token-b"))
    }

    @Test func `an identifier that changes meanwhile wins in the end`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let gate = Gate(letsCancelledPass: true)
        await site.server.next(.holdReply(gate), at: 0x10)
        async let first = handset.authenticator.deviceTokenChanged(.fcm("token-b"))
        await gate.arrival()
        async let second = handset.authenticator.deviceTokenChanged(.fcm("token-c"))
        await handset.store.untilWritten(Array("token-c".utf8))
        await gate.open()
        _ = try await (first, second)
        #expect(try await handset.device().deviceToken == .fcm("token-c"))
        try await handset.authenticator.deviceTokenChanged(.fcm("token-c"))
        #expect(await site.server.types == [0x10, 0x10])
    }

    @Test func `it may change before the activation has registered the first`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        let gate = Gate(letsCancelledPass: true)
        await site.server.next(.holdReply(gate), at: 0x10)
        async let joining = handset.join()
        await gate.arrival()
        async let changing = handset.authenticator.deviceTokenChanged(.fcm("token-c"))
        await handset.store.untilWritten(Array("token-c".utf8))
        await gate.open()
        _ = try await (joining, changing)
        #expect(try await handset.state == .active)
        #expect(try await handset.device().deviceToken == .fcm("token-c"))
    }

    @Test func `a held-back older registration doesn't win`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        let gate = Gate(letsCancelledPass: true)
        await site.server.next(.hold(gate), at: 0x10)
        let first = Task { try await handset.authenticator.deviceTokenChanged(.fcm("token-b")) }
        await gate.arrival()
        handset.pass(.seconds(301))
        first.cancel()
        let later = try await handset.restarted()
        try await later.authenticator.deviceTokenChanged(.fcm("token-c"))
        #expect(try await later.device().deviceToken == .fcm("token-c"))
        await gate.open()
        _ = try? await first.value
        #expect(try await later.device().deviceToken == .fcm("token-c"))
        try await later.authenticator.deviceTokenChanged(.fcm("token-c"))
        #expect(try await later.device().deviceToken == .fcm("token-c"))
    }

    @Test func `each user of a device is registered, and each has its own mark`() async throws {
        let handset = try await OneSpanHarness.joined()
        let site = handset.site
        try await handset.join(Sample.otherUser)
        await site.server.forget()
        await site.server.next(.refuse, at: 0x10)
        let failures = try await handset.authenticator.deviceTokenChanged(.fcm("token-b"))
        #expect(failures.count == 1)
        #expect(await site.server.types == [0x10, 0x10])
        await site.server.forget()
        try await handset.authenticator.resume()
        #expect(await site.server.types == [0x10])
        for name in [Sample.user, Sample.otherUser] {
            #expect(
                await site.tenant.devices(of: name).map(\.deviceToken) == [.fcm("token-b")])
        }
    }

    @Test func `a user who is deleted and activated again is registered again`() async throws {
        let handset = try await OneSpanHarness.joined()
        try await handset.authenticator.remove(handset.enrollment().id)
        try await handset.join()
        #expect(await handset.site.server.types == [0x01, 0x03, 0x05, 0x07, 0x10])
        #expect(try await handset.device().deviceToken == .fcm("token-a"))
    }

    @Test func `an activation whose registration failed is finished later`() async throws {
        let site = Site()
        let handset = try await OneSpanHarness(site)
        await site.server.next(.refuse, at: 0x10)
        let enrollment = try await handset.join()
        #expect(enrollment.state == .pending(.deviceToken))
        try await handset.restarted().start()
        #expect(try await handset.state == .active)
        #expect(try await site.activationStatus() == "activated")
    }

    @Test func `an identifier of the longest token fits, and a longer one is refused`()
        async throws
    {
        let handset = try await OneSpanHarness.joined()
        let long = String(repeating: "x", count: 1_024)
        #expect(try await handset.authenticator.deviceTokenChanged(.fcm(long)).isEmpty)
        #expect(await handset.site.server.commands(0x10).first?.bytes.count == 2_136)
        let failures = try? await handset.authenticator.deviceTokenChanged(.fcm(long + "x"))
        #expect(failures?.isEmpty != true)
        #expect(await handset.site.server.types == [0x10])
    }
}

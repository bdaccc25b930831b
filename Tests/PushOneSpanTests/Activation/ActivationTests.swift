import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Online activation by the uniform door.
@Suite struct ActivationTests {
    @Test func `an activation takes four round trips and the registration one`() async throws {
        let harness = try OneSpanHarness()
        let enrollment = try await harness.activate()
        #expect(enrollment.state == .active)
        #expect(enrollment.account == OneSpanHarness.name)
        #expect(enrollment.host == "app.example.com")
        #expect(enrollment.deviceToken == OneSpanHarness.token)
        #expect(await harness.sent == 5)
        let device = try #require(await harness.simulator.devices(of: OneSpanHarness.name).first)
        #expect(device.id == enrollment.id.name)
        #expect(device.isActivated)
        #expect(device.deviceToken == OneSpanHarness.token)
    }

    @Test func `without a device token the activation waits for one`() async throws {
        let harness = try OneSpanHarness()
        #expect(try await harness.activate(token: nil).state == .pending(.deviceToken))
        #expect(await harness.sent == 4)
        #expect(
            await harness.simulator.devices(of: OneSpanHarness.name).first?.isActivated == false)
        #expect(try await harness.authenticator.deviceTokenChanged(OneSpanHarness.token).isEmpty)
        #expect(try await harness.enrollment().state == .active)
        #expect(await harness.simulator.devices(of: OneSpanHarness.name).first?.isActivated == true)
    }

    @Test func `a mistyped activation password is caught before the user chooses a PIN`()
        async throws
    {
        let harness = try OneSpanHarness()
        let error = try await refusal { _ = try await harness.offer(password: "K7M2Q9XE") }
        #expect(await harness.user.requests.isEmpty)
        #expect(error.code == .invalidInvitation)
        #expect(error.oneSpan == .input(.activationPasswordWrongChecksum))
        #expect(await harness.sent == 0)
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test func `a wrong activation password leaves nothing, and says how many are left`()
        async throws
    {
        let harness = try OneSpanHarness()
        let offer = try await harness.offer(password: "K7M2Q9XD")
        let error = try await refusal { _ = try await harness.authenticator.enroll(offer) }
        #expect(error.code == .invalidInvitation)
        #expect(error.oneSpan == .provisioning(-1201, attemptsLeft: 2))
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(await harness.store.count == 0)
    }

    @Test func `an expired activation password is refused`() async throws {
        let harness = try OneSpanHarness()
        let offer = try await harness.offer()
        harness.clock.advance(by: .seconds(601))
        let error = try await refusal { _ = try await harness.authenticator.enroll(offer) }
        #expect(error.code == .invalidInvitation)
        #expect(error.oneSpan == .provisioning(-1202, attemptsLeft: nil))
    }

    @Test func `an active user isn't activated again`() async throws {
        let harness = try await OneSpanHarness.activated()
        let offer = try await harness.offer()
        let error = try await refusal { _ = try await harness.authenticator.enroll(offer) }
        #expect(error.code == .alreadyEnrolled)
        #expect(await harness.sent == 5)
    }

    @Test(arguments: 0..<3)
    func `a broken connection before the last command leaves nothing`(round: Int) async throws {
        let harness = try OneSpanHarness()
        let offer = try await harness.offer()
        for _ in 0..<round { await harness.faults.next(.delay(.zero)) }
        await harness.faults.next(.dropAfter)
        let error = try await refusal { _ = try await harness.authenticator.enroll(offer) }
        #expect(error.code == .interrupted)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(try await harness.activate().state == .active)
    }

    @Test func `a lost last reply leaves half an enrollment, which a restart completes`()
        async throws
    {
        let harness = try OneSpanHarness()
        for _ in 0..<3 { await harness.faults.next(.delay(.zero)) }
        await harness.faults.next(.dropAfter)
        let half = try await harness.activate()
        #expect(half.state == .pending(.unconfirmed))
        let again = try OneSpanHarness(sharing: harness)
        #expect(try await again.authenticator.refresh(half.id).state == .pending(.deviceToken))
        try await again.authenticator.resume()
        #expect(try await again.enrollment().state == .active)
        #expect(await harness.simulator.devices(of: OneSpanHarness.name).first?.isActivated == true)
    }

    @Test func `a proxy's status in place of the last reply erases nothing`() async throws {
        let harness = try OneSpanHarness()
        for _ in 0..<3 { await harness.faults.next(.delay(.zero)) }
        await harness.faults.next(.status(401))
        let half = try await harness.activate()
        #expect(half.state == .pending(.unconfirmed))
        #expect(
            harness.observer.observations.contains { $0.kind == .refused(.server(status: 401)) })
        #expect(try await harness.authenticator.refresh(half.id).state == .pending(.deviceToken))
    }

    @Test(.timeLimit(.minutes(10)))
    func `a store that fails at the last reply erases nothing`() async throws {
        let harness = try OneSpanHarness(tries: 2)
        let offer = try await harness.offer()
        for _ in 0..<3 { await harness.faults.next(.delay(.zero)) }
        await harness.faults.next(.dropAfter)
        async let enrolled = harness.authenticator.enroll(offer)
        await harness.untilAsleep(for: .seconds(1))
        await harness.store.refuseWrites { key in
            key.collection == "enrollment" ? PushError(.storage, "Locked.") : nil
        }
        harness.clock.advance(by: .seconds(1))
        let half = try await enrolled
        #expect(half.state == .pending(.unconfirmed))
        await harness.store.refuseWrites(nil)
        #expect(try await harness.authenticator.refresh(half.id).state == .pending(.deviceToken))
    }

    @Test func `a last command that the server refuses ends half an enrollment`() async throws {
        let harness = try OneSpanHarness()
        for _ in 0..<3 { await harness.faults.next(.delay(.zero)) }
        await harness.faults.next(.dropBefore)
        let half = try await harness.activate()
        #expect(half.state == .pending(.unconfirmed))
        harness.clock.advance(by: .seconds(601))
        let error = try await refusal { _ = try await harness.authenticator.refresh(half.id) }
        #expect(error.oneSpan == .provisioning(-1202, attemptsLeft: nil))
        #expect(try await harness.authenticator.enrollments().isEmpty)
    }

    @Test func `a password that is too short is asked for again`() async throws {
        let harness = try OneSpanHarness(user: ScriptedUser("12", "135790"))
        #expect(try await harness.activate().state == .active)
        #expect(await harness.user.requests.count == 2)
    }

    @Test func `a user without a usable password isn't activated`() async throws {
        let harness = try OneSpanHarness(user: ScriptedUser("12"))
        let error = try await refusal { try await harness.activate() }
        #expect(error.code == .verificationFailed)
        #expect(await harness.user.requests.count == 3)
        #expect(await harness.sent == 0)
    }

    @Test func `an offer asks for a password, and biometry where the device has it`() async throws {
        #expect(try await OneSpanHarness().offer().asks == [[.newPIN]])
        #expect(
            try await OneSpanHarness(hasBiometry: true).offer().asks == [[.newPIN, .newBiometry]])
    }

    @Test func `a guard is refused before anything is sent`() async throws {
        let harness = try OneSpanHarness(hasBiometry: true)
        let offer = try await harness.offer()
        let error = try await refusal {
            try await harness.authenticator.enroll(offer, guardedBy: .currentBiometry)
        }
        #expect(error.code == .unsupported)
        #expect(await harness.sent == 0)
        #expect(await harness.user.requests.isEmpty)
    }

    @Test func `a scanned text is no offer: OneSpan documents none`() throws {
        let harness = try OneSpanHarness()
        #expect(try harness.authenticator.offers(for: .scanned(text: "alice:K7M2Q9XD")).isEmpty)
    }

    @Test func `deleting a user erases everything, and tells the server nothing`() async throws {
        let harness = try await OneSpanHarness.activated()
        let sent = await harness.sent
        try await harness.authenticator.remove(try await harness.enrollment().id)
        #expect(try await harness.authenticator.enrollments().isEmpty)
        #expect(await harness.sent == sent)
    }

    @Test(arguments: 0..<4)
    func `a store that is full from some write on after the last reply loses no device`(
        writes: Int
    ) async throws {
        let harness = try OneSpanHarness()
        try await harness.authenticator.deviceTokenChanged(OneSpanHarness.token)
        let store = harness.store
        let left = Locked(writes)
        await harness.site.server.next(
            .first {
                await store.refuseWrites { _ in
                    let isFull = left.withLock { left in
                        left -= 1
                        return left < 0
                    }
                    return isFull ? PushError(.storage, "Full.") : nil
                }
            }, at: 0x07)
        let offer = try await harness.offer()
        _ = await Result { () async throws(PushError) in
            try await harness.authenticator.enroll(offer)
        }
        await store.refuseWrites(nil)
        let kept = try await harness.enrollment()
        _ = try await harness.authenticator.refresh(kept.id)
        try await harness.authenticator.resume()
        #expect(try await harness.enrollment().state == .active)
        #expect(await harness.simulator.devices(of: OneSpanHarness.name).count == 1)
    }
}

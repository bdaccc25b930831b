import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Online activation by the uniform door.
@Suite struct ActivationTests {
    @Test func `an activation takes four round trips and the registration one`() async throws {
        let world = try World()
        let enrollment = try await world.activate()
        #expect(enrollment.state == .active)
        #expect(enrollment.account == World.name)
        #expect(enrollment.host == "app.example.com")
        #expect(enrollment.deviceToken == World.token)
        #expect(await world.sent == 5)
        let device = try #require(await world.simulator.devices(of: World.name).first)
        #expect(device.id == enrollment.id.name)
        #expect(device.isActivated)
        #expect(device.deviceToken == World.token)
    }

    @Test func `without a device token the activation waits for one`() async throws {
        let world = try World()
        #expect(try await world.activate(token: nil).state == .pending(.deviceToken))
        #expect(await world.sent == 4)
        #expect(await world.simulator.devices(of: World.name).first?.isActivated == false)
        #expect(try await world.authenticator.deviceTokenChanged(World.token).isEmpty)
        #expect(try await world.enrollment().state == .active)
        #expect(await world.simulator.devices(of: World.name).first?.isActivated == true)
    }

    @Test func `a mistyped activation password is caught before the user chooses a PIN`()
        async throws
    {
        let world = try World()
        let error = try await refusal { _ = try await world.offer(password: "K7M2Q9XE") }
        #expect(await world.user.requests.isEmpty)
        #expect(error.code == .invalidInvitation)
        #expect(error.oneSpan == .input(.activationPasswordWrongChecksum))
        #expect(await world.sent == 0)
        #expect(try await world.authenticator.enrollments().isEmpty)
    }

    @Test func `a wrong activation password leaves nothing, and says how many are left`()
        async throws
    {
        let world = try World()
        let offer = try await world.offer(password: "K7M2Q9XD")
        let error = try await refusal { _ = try await world.authenticator.enroll(offer) }
        #expect(error.code == .invalidInvitation)
        #expect(error.oneSpan == .provisioning(-1201, attemptsLeft: 2))
        #expect(try await world.authenticator.enrollments().isEmpty)
        #expect(await world.store.count == 0)
    }

    @Test func `an expired activation password is refused`() async throws {
        let world = try World()
        let offer = try await world.offer()
        world.clock.advance(by: .seconds(601))
        let error = try await refusal { _ = try await world.authenticator.enroll(offer) }
        #expect(error.code == .invalidInvitation)
        #expect(error.oneSpan == .provisioning(-1202, attemptsLeft: nil))
    }

    @Test func `an active user isn't activated again`() async throws {
        let world = try await World.activated()
        let offer = try await world.offer()
        let error = try await refusal { _ = try await world.authenticator.enroll(offer) }
        #expect(error.code == .alreadyEnrolled)
        #expect(await world.sent == 5)
    }

    @Test(arguments: 0..<3)
    func `a broken connection before the last command leaves nothing`(round: Int) async throws {
        let world = try World()
        let offer = try await world.offer()
        for _ in 0..<round { await world.faults.next(.delay(.zero)) }
        await world.faults.next(.dropAfter)
        let error = try await refusal { _ = try await world.authenticator.enroll(offer) }
        #expect(error.code == .interrupted)
        #expect(try await world.authenticator.enrollments().isEmpty)
        #expect(try await world.activate().state == .active)
    }

    @Test func `a lost last reply leaves half an enrollment, which a restart completes`()
        async throws
    {
        let world = try World()
        for _ in 0..<3 { await world.faults.next(.delay(.zero)) }
        await world.faults.next(.dropAfter)
        let half = try await world.activate()
        #expect(half.state == .pending(.unconfirmed))
        let again = try World(sharing: world)
        #expect(try await again.authenticator.refresh(half.id).state == .pending(.deviceToken))
        try await again.authenticator.resume()
        #expect(try await again.enrollment().state == .active)
        #expect(await world.simulator.devices(of: World.name).first?.isActivated == true)
    }

    @Test func `a proxy's status in place of the last reply erases nothing`() async throws {
        let world = try World()
        for _ in 0..<3 { await world.faults.next(.delay(.zero)) }
        await world.faults.next(.status(401))
        let half = try await world.activate()
        #expect(half.state == .pending(.unconfirmed))
        #expect(
            world.observer.observations.contains { $0.kind == .refused(.server(status: 401)) })
        #expect(try await world.authenticator.refresh(half.id).state == .pending(.deviceToken))
    }

    @Test(.timeLimit(.minutes(10)))
    func `a store that fails at the last reply erases nothing`() async throws {
        let world = try World(tries: 2)
        let offer = try await world.offer()
        for _ in 0..<3 { await world.faults.next(.delay(.zero)) }
        await world.faults.next(.dropAfter)
        async let enrolled = world.authenticator.enroll(offer)
        await world.untilAsleep(for: .seconds(1))
        await world.store.refuseWrites { key in
            key.collection.hasPrefix("credential/") ? PushError(.storage, "Locked.") : nil
        }
        world.clock.advance(by: .seconds(1))
        let half = try await enrolled
        #expect(half.state == .pending(.unconfirmed))
        await world.store.refuseWrites(nil)
        #expect(try await world.authenticator.refresh(half.id).state == .pending(.deviceToken))
    }

    @Test func `a last command that the server refuses ends half an enrollment`() async throws {
        let world = try World()
        for _ in 0..<3 { await world.faults.next(.delay(.zero)) }
        await world.faults.next(.dropBefore)
        let half = try await world.activate()
        #expect(half.state == .pending(.unconfirmed))
        world.clock.advance(by: .seconds(601))
        let error = try await refusal { _ = try await world.authenticator.refresh(half.id) }
        #expect(error.oneSpan == .provisioning(-1202, attemptsLeft: nil))
        #expect(try await world.authenticator.enrollments().isEmpty)
    }

    @Test func `a password that is too short is asked for again`() async throws {
        let world = try World(user: ScriptedUser("12", "135790"))
        #expect(try await world.activate().state == .active)
        #expect(await world.user.requests.count == 2)
    }

    @Test func `a user without a usable password isn't activated`() async throws {
        let world = try World(user: ScriptedUser("12"))
        let error = try await refusal { try await world.activate() }
        #expect(error.code == .verificationFailed)
        #expect(await world.user.requests.count == 3)
        #expect(await world.sent == 0)
    }

    @Test func `an offer asks for a password, and biometry where the device has it`() async throws {
        #expect(try await World().offer().asks == [[.newPIN]])
        #expect(try await World(hasBiometry: true).offer().asks == [[.newPIN, .newBiometry]])
    }

    @Test func `a scanned text is no offer: OneSpan documents none`() throws {
        let world = try World()
        #expect(try world.authenticator.offers(for: .scanned(text: "alice:K7M2Q9XD")).isEmpty)
    }

    @Test func `deleting a user erases everything, and tells the server nothing`() async throws {
        let world = try await World.activated()
        let sent = await world.sent
        try await world.authenticator.remove(try await world.enrollment().id)
        #expect(try await world.authenticator.enrollments().isEmpty)
        #expect(await world.sent == sent)
    }
}

import Foundation
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// What several accounts, processes and instances share on one device, and what they don't.
@Suite struct InstallationTests {
    private func identifiers(_ worlds: World...) async throws -> Set<JSON> {
        var all: Set<JSON> = []
        for world in worlds {
            for posted in await world.enrollments() {
                all.insert(try #require(posted.members()["device_identifier"]))
            }
        }
        return all
    }

    @Test func `two processes that enroll first and at once are one installation`() async throws {
        let one = try World()
        let other = try World(sharing: one)
        try await one.authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        async let first = one.enroll(.account("ada"), token: nil)
        async let second = other.enroll(.account("bob"), token: nil)
        _ = try await (first, second)
        #expect(try await one.authenticator.enrollments().count == 2)
        #expect(try await identifiers(one, other).count == 1)
    }

    @Test func `an installation outlives its accounts`() async throws {
        let world = try await World.enrolled()
        try await world.authenticator.remove(world.account().id)
        try await world.enroll()
        #expect(await world.enrollments().count == 2)
        #expect(try await identifiers(world).count == 1)
    }

    @Test func `what can't be put on record isn't sent`() async throws {
        let world = try World()
        try await world.authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        await world.store.refuseWrites { _ in PushError(.storage, "Full.") }
        let error = try await refusal { try await world.enroll(token: nil) }
        #expect(error.code == .storage)
        #expect(await world.transport.exchanges.isEmpty)
        await world.store.refuseWrites(nil)
        #expect(try await world.enroll(token: nil).state == .active)
    }

    @Test func `a damaged account stops no other`() async throws {
        let world = try World()
        for account in ["ada", "bob"] { try await world.enroll(.account(account)) }
        let keys = try await world.enrollments().map { try $0.key() }
        await world.store.damage(RecordKey("credential/plusauth", keys[0].id))
        _ = try await world.challenge(ContextJWT(keys[1], token: "named"))
        _ = try await world.challenge(
            ContextJWT(keys[1], token: "nameless").with(header: "kid", nil))
        _ = try await world.refusal(of: ContextJWT(keys[0], token: "lost").message())
        _ = try await world.refusal(
            of: ContextJWT(keys[0], token: "lost").with(header: "kid", nil).message())
        #expect(try await world.enroll(.account("cy")).state == .active)
        #expect(try await world.enroll(.account("ada")).state == .active)
    }

    @Test func `two instances each know their own accounts`() async throws {
        let world = try World()
        let environment = Environment(
            transport: world.transport, store: world.store, verifier: world.verifier,
            clock: world.clock, device: Device(name: "x", platform: .android))
        let providers = ["plusauth/a", "plusauth/b"].map {
            PlusAuth(id: $0, configuration: .ec(), in: environment)
        }
        let authenticator = PushAuthenticator(try PluginRegistry(providers), in: environment)
        try await authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        let offers = try authenticator.offers(for: .scanned(text: EnrollmentCode().text))
        #expect(offers.map(\.provider) == ["plusauth/a", "plusauth/b"])
        for offer in offers { _ = try await authenticator.enroll(offer) }
        #expect(try await authenticator.enrollments().count == 2)
        for (index, posted) in await world.enrollments().enumerated() {
            let message = try ContextJWT(posted.key(), token: "\(index)").message()
            let reception = try #require(await authenticator.receive(message).first)
            #expect(reception.challenge?.enrollment.provider == providers[index].id)
        }
    }

    @Test func `there is nothing to ask the server`() async throws {
        let world = try await World.enrolled()
        let account = try await world.account()
        let challenge = try await world.challenge(ContextJWT(world.key()))
        let announcement = try await world.authenticator.announcement(of: challenge.id)
        #expect(try await world.provider.resolver.status(of: announcement, kept: nil) == .unsaid)
        let pending = try await world.provider.resolver.pending(for: account.id, after: nil)
        #expect(pending.announcements.isEmpty)
        #expect(try await world.authenticator.refresh(account.id) == account)
        #expect(await world.answers().isEmpty)
    }

    // MARK: Half an enrollment

    @Test func `scanning again after a lost reply leaves one account`() async throws {
        let world = try World()
        await world.faults.next(.dropAfter)
        _ = try? await world.enroll()
        let enrollment = try await world.enroll()
        #expect(enrollment.state == .active)
        #expect(try await world.authenticator.enrollments() == [enrollment])
    }

    @Test func `"already enrolled" after a lost reply leaves the first to be confirmed`()
        async throws
    {
        let world = try World()
        await world.faults.next(.dropAfter)
        _ = try? await world.enroll()
        let key = try await world.key()
        await world.server.refuse(409)
        let error = try await refusal { try await world.enroll() }
        #expect(error.code == .alreadyEnrolled)
        #expect(
            try await world.authenticator.enrollments().map(\.state) == [.pending(.unconfirmed)])
        _ = try await world.challenge(ContextJWT(key))
        #expect(try await world.account().state == .active)
    }

    @Test func `replacing an account leaves its decisions in peace`() async throws {
        let world = try await World.enrolled()
        let challenge = try await world.challenge(ContextJWT(world.key()))
        await world.server.reply(500)
        _ = try await world.authenticator.resolve(challenge, with: .approve)
        try await world.enroll()
        let sent = await world.answers().count
        _ = try await world.authenticator.resume()
        #expect(await world.answers().count == sent)
        _ = try await world.challenge(ContextJWT(world.key()))
    }
}

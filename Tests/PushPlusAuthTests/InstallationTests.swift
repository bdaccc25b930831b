import Foundation
import IndependentEncodings
import PushCore
import PushPlusAuth
import PushTesting
import Testing

/// What several accounts, processes and instances share on one device, and what they don't.
@Suite struct InstallationTests {
    private func identifiers(_ worlds: PlusAuthHarness...) async throws -> Set<JSON> {
        var all: Set<JSON> = []
        for harness in worlds {
            for posted in await harness.enrollments() {
                all.insert(try #require(posted.members()["device_identifier"]))
            }
        }
        return all
    }

    @Test func `two processes that enroll first and at once are one installation`() async throws {
        let one = try PlusAuthHarness()
        let other = try PlusAuthHarness(sharing: one)
        try await one.authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        async let first = one.enroll(.account("ada"), token: nil)
        async let second = other.enroll(.account("bob"), token: nil)
        _ = try await (first, second)
        #expect(try await one.authenticator.enrollments().count == 2)
        #expect(try await identifiers(one, other).count == 1)
    }

    @Test func `an installation outlives its accounts`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        try await harness.authenticator.remove(harness.account().id)
        try await harness.enroll()
        #expect(await harness.enrollments().count == 2)
        #expect(try await identifiers(harness).count == 1)
    }

    @Test func `what can't be put on record isn't sent`() async throws {
        let harness = try PlusAuthHarness()
        try await harness.authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        await harness.store.refuseWrites { _ in PushError(.storage, "Full.") }
        let error = try await refusal { try await harness.enroll(token: nil) }
        #expect(error.code == .storage)
        #expect(await harness.transport.exchanges.isEmpty)
        await harness.store.refuseWrites(nil)
        #expect(try await harness.enroll(token: nil).state == .active)
    }

    @Test func `a damaged account stops no other`() async throws {
        let harness = try PlusAuthHarness()
        for account in ["ada", "bob"] { try await harness.enroll(.account(account)) }
        let keys = try await harness.enrollments().map { try $0.key() }
        await harness.store.damage(.enrollment(Enrollment.ID(keys[0].id, of: "plusauth")))
        _ = try await harness.challenge(ContextJWT(keys[1], token: "named"))
        _ = try await harness.challenge(
            ContextJWT(keys[1], token: "nameless").with(header: "kid", nil))
        _ = try await harness.refusal(of: ContextJWT(keys[0], token: "lost").message())
        _ = try await harness.refusal(
            of: ContextJWT(keys[0], token: "lost").with(header: "kid", nil).message())
        #expect(try await harness.enroll(.account("cy")).state == .active)
        #expect(try await harness.enroll(.account("ada")).state == .active)
    }

    @Test func `two instances each know their own accounts`() async throws {
        let harness = try PlusAuthHarness()
        let environment = PushEnvironment(
            transport: harness.transport, store: harness.store, verifier: harness.verifier,
            clock: harness.clock, device: Device(name: "x", platform: .android))
        let providers = ["plusauth/a", "plusauth/b"].map {
            PlusAuth(id: $0, configuration: .ec(), in: environment)
        }
        let authenticator = PushAuthenticator(try PluginRegistry(providers), in: environment)
        try await authenticator.deviceTokenChanged(.fcm(WorkedExample.deviceToken))
        let offers = try authenticator.offers(for: .scanned(text: EnrollmentCode().text))
        #expect(offers.map(\.provider) == ["plusauth/a", "plusauth/b"])
        for offer in offers { _ = try await authenticator.enroll(offer) }
        #expect(try await authenticator.enrollments().count == 2)
        for (index, posted) in await harness.enrollments().enumerated() {
            let message = try ContextJWT(posted.key(), token: "\(index)").message()
            let reception = try #require(await authenticator.receive(message).first)
            #expect(reception.challenge?.enrollment.provider == providers[index].id)
        }
    }

    @Test func `there is nothing to ask the server`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let enrollment = try await harness.account()
        let account = try await harness.accounts.existing(enrollment.id)
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        var announcement = try await harness.authenticator.announcement(of: challenge.id)
        let resolver = harness.provider.resolver
        #expect(try await resolver.status(for: &announcement, of: account, kept: nil) == .unknown)
        let pending = try await resolver.pending(of: account, after: nil)
        #expect(pending.announcements.isEmpty)
        #expect(try await harness.authenticator.refresh(account.id) == enrollment)
        #expect(await harness.answers().isEmpty)
    }

    // MARK: Half an enrollment

    @Test func `scanning again after a lost reply leaves one account`() async throws {
        let harness = try PlusAuthHarness()
        await harness.faults.next(.dropAfter)
        _ = try? await harness.enroll()
        let enrollment = try await harness.enroll()
        #expect(enrollment.state == .active)
        #expect(try await harness.authenticator.enrollments() == [enrollment])
    }

    @Test func `"already enrolled" after a lost reply leaves the first to be confirmed`()
        async throws
    {
        let harness = try PlusAuthHarness()
        await harness.faults.next(.dropAfter)
        _ = try? await harness.enroll()
        let key = try await harness.key()
        await harness.server.refuse(409)
        let error = try await refusal { try await harness.enroll() }
        #expect(error.code == .alreadyEnrolled)
        #expect(
            try await harness.authenticator.enrollments().map(\.state) == [.pending(.unconfirmed)])
        _ = try await harness.challenge(ContextJWT(key))
        #expect(try await harness.account().state == .active)
    }

    @Test func `replacing an account leaves its decisions in peace`() async throws {
        let harness = try await PlusAuthHarness.enrolled()
        let challenge = try await harness.challenge(ContextJWT(harness.key()))
        await harness.server.reply(500)
        _ = try await harness.authenticator.resolve(challenge, with: .approve)
        try await harness.enroll()
        let sent = await harness.answers().count
        _ = try await harness.authenticator.resume()
        #expect(await harness.answers().count == sent)
        _ = try await harness.challenge(ContextJWT(harness.key()))
    }
}

import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Users by OneSpan's door.
@Suite(.timeLimit(.minutes(10))) struct UserTests {
    @Test func `each user is known by what is on record, oldest first`() async throws {
        let app = try await OneSpanApp.active()
        app.harness.clock.advance(by: .seconds(60))
        let invitation = try await app.harness.simulator.invitation(for: "bob")
        guard case .credentials(_, let password) = invitation else { return }
        try await app.door.startActivation(
            .init(userIdentifier: "bob", activationPassword: password, delegate: app))
        let bob = OrchestrationUser("bob", domain: "example-domain")
        #expect(try await app.door.users() == [OneSpanApp.user, bob])
        let alice = try await app.door.userInformation(OneSpanApp.user)
        #expect(alice.account == OneSpanHarness.name)
        #expect(alice.state == .active)
        #expect(try await app.door.userInformation(bob).state == .pending(.deviceToken))
        try await app.door.deleteUser(OneSpanApp.user)
        #expect(try await app.door.users() == [bob])
    }

    @Test func `a user of another domain is another user`() async throws {
        let app = try await OneSpanApp.active()
        let other = OrchestrationUser(OneSpanHarness.name, domain: "other-domain")
        #expect(try await app.door.isUserActivated(other) == false)
        let unknown = try await refusal { _ = try await app.door.userInformation(other) }
        #expect(unknown.oneSpan == .notActivated)
        let same = OrchestrationUser(OneSpanHarness.name, domain: "Example-Domain")
        #expect(try await app.door.isUserActivated(same))
        #expect(try await app.door.isUserActivated(OrchestrationUser(OneSpanHarness.name)))
    }

    @Test func `nothing is known of a user who isn't on this device`() async throws {
        let app = try await OneSpanApp.active()
        let nobody = OrchestrationUser("nobody", domain: "example-domain")
        #expect(try await app.door.isUserActivated(nobody) == false)
        let unknown = try await refusal { _ = try await app.door.userInformation(nobody) }
        #expect(unknown.oneSpan == .notActivated)
        let deleted = try await refusal { try await app.door.deleteUser(nobody) }
        #expect(deleted.oneSpan == .notActivated)
        #expect(try await app.door.users() == [OneSpanApp.user])
    }
}

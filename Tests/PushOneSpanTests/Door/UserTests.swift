import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting
import Testing

/// Passwords and users by OneSpan's door.
@Suite(.timeLimit(.minutes(10))) struct UserTests {
    @Test func `a changed password is the one that counts`() async throws {
        let app = try await App.active()
        await app.harness.user.will(enter: "135790", "246801")
        try await app.orchestrator.startChangePassword(
            .init(orchestrationUser: App.user, delegate: app))
        #expect(await app.diary.heard == [.step, .passwordChanged])
        await app.orchestrator.execute(try await app.pushed().0)
        await app.diary.wait(for: .success(.accepted))
        #expect(!(await app.diary.heard.contains(.passwordError(2))))
    }

    @Test func `a wrong old password is the server's verdict`() async throws {
        let app = try await App.active()
        await app.harness.user.will(enter: "000000", "246801")
        try await app.orchestrator.startChangePassword(
            .init(orchestrationUser: App.user, delegate: app))
        #expect(await app.diary.heard == [.step, .passwordError(4)])
    }

    @Test func `the same password again is an input error, and nothing is sent`() async throws {
        let app = try await App.active()
        let sent = await app.harness.sent
        try await app.orchestrator.startChangePassword(
            .init(orchestrationUser: App.user, delegate: app))
        #expect(await app.diary.heard == [.unusable])
        #expect(await app.harness.sent == sent)
    }

    @Test func `a deleted user is gone, and what runs for them aborts`() async throws {
        let app = try await App.active(decision: nil)
        await app.orchestrator.execute(try await app.pushed().0)
        await app.diary.wait(for: .displayed(.text("Sign in to Example Bank")))
        #expect(try await app.orchestrator.users() == [App.user])
        try await app.orchestrator.deleteUser(App.user)
        await app.diary.wait(for: .aborted)
        #expect(try await app.orchestrator.users().isEmpty)
        #expect(try await app.orchestrator.isUserActivated(App.user) == false)
    }

    @Test func `each user is known by what is on record, oldest first`() async throws {
        let app = try await App.active()
        app.harness.clock.advance(by: .seconds(60))
        let invitation = try await app.harness.simulator.invitation(for: "bob")
        guard case .credentials(_, let password) = invitation else { return }
        try await app.orchestrator.startActivation(
            .init(userIdentifier: "bob", activationPassword: password, delegate: app))
        let bob = OrchestrationUser("bob", domain: "example-domain")
        #expect(try await app.orchestrator.users() == [App.user, bob])
        let alice = try await app.orchestrator.userInformation(App.user)
        #expect(alice.account == OneSpanHarness.name)
        #expect(alice.state == .active)
        #expect(try await app.orchestrator.userInformation(bob).state == .pending(.deviceToken))
        try await app.orchestrator.deleteUser(App.user)
        #expect(try await app.orchestrator.users() == [bob])
    }

    @Test func `a user of another domain is another user`() async throws {
        let app = try await App.active()
        let other = OrchestrationUser(OneSpanHarness.name, domain: "other-domain")
        #expect(try await app.orchestrator.isUserActivated(other) == false)
        let unknown = try await refusal { _ = try await app.orchestrator.userInformation(other) }
        #expect(unknown.oneSpan == .notActivated)
        let same = OrchestrationUser(OneSpanHarness.name, domain: "Example-Domain")
        #expect(try await app.orchestrator.isUserActivated(same))
        #expect(try await app.orchestrator.isUserActivated(OrchestrationUser(OneSpanHarness.name)))
    }

    @Test func `nothing is known of a user who isn't on this device`() async throws {
        let app = try await App.active()
        let nobody = OrchestrationUser("nobody", domain: "example-domain")
        #expect(try await app.orchestrator.isUserActivated(nobody) == false)
        let unknown = try await refusal { _ = try await app.orchestrator.userInformation(nobody) }
        #expect(unknown.oneSpan == .notActivated)
        let deleted = try await refusal { try await app.orchestrator.deleteUser(nobody) }
        #expect(deleted.oneSpan == .notActivated)
        #expect(try await app.orchestrator.users() == [App.user])
    }
}

import PushCore
import PushOneSpan
import PushTesting
import Testing

/// The two names of one callback: `docs/vendors/onespan.md#notification-registration`.
@Suite(.timeLimit(.minutes(10))) struct DelegateTests {
    /// Knows the guide's name of the callback alone.
    private final class GuideDelegate: NotificationRegistrationDelegate {
        let app: OneSpanApp
        init(_ app: OneSpanApp) { self.app = app }

        func onNotificationRegistrationComplete(_ command: OrchestrationCommand) async {
            await app.send(command)
        }
        func onNotificationRegistrationSuccess(
            _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
        ) async { await app.note(.registered(orchestrationUser.userIdentifier)) }
    }

    /// Knows both names.
    private actor CarefulDelegate: NotificationRegistrationDelegate {
        private(set) var names: [String] = []
        private let app: OneSpanApp
        init(_ app: OneSpanApp) { self.app = app }

        func onNotificationRegistrationStepComplete(_ command: OrchestrationCommand) async {
            names.append("step")
            await app.send(command)
        }
        func onNotificationRegistrationComplete(_ command: OrchestrationCommand) async {
            names.append("complete")
            await app.send(command)
        }
        func onNotificationRegistrationSuccess(
            _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
        ) { names.append("success") }
    }

    /// Carries nothing.
    private final class IdleDelegate: NotificationRegistrationDelegate {
        func onNotificationRegistrationSuccess(
            _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
        ) {}
    }

    @Test func `the guide's name alone does`() async throws {
        let app = try await OneSpanApp()
        try await app.activate()
        try await app.register(telling: GuideDelegate(app))
        #expect(await app.events.suffix(2) == [.step(0x10), .registered(Sample.user)])
    }

    @Test func `of both names one is called`() async throws {
        let app = try await OneSpanApp()
        try await app.activate()
        let delegate = CarefulDelegate(app)
        try await app.register(telling: delegate)
        #expect(await delegate.names == ["step", "success"])
    }

    @Test func `with neither, nothing is sent, and the app is told`() async throws {
        let app = try await OneSpanApp()
        try await app.activate()
        try await app.register(telling: IdleDelegate())
        #expect(await app.events.last == .error(.handlerNotSet))
        #expect(await app.site.server.types.last == 0x07)
        #expect(try await app.harness.state == .pending(.deviceToken))
        try await app.register()
        #expect(try await app.harness.state == .active)
    }

    @Test func `a user who isn't activated can't be registered`() async throws {
        let app = try await OneSpanApp()
        let error = try await refusal { try await app.register(telling: IdleDelegate()) }
        #expect(error.oneSpan == .notActivated)
    }
}

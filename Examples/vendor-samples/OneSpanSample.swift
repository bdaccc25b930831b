// The steps of a notification registration as OneSpan's documentation lists them ("Integrate notification
// registration"), each one call of its documented name. OneSpan publishes no Swift code for them.
import PushCore
import PushOneSpan

final class Registration: NotificationRegistrationDelegate {
    private let orchestrator: OneSpanOrchestrator
    private let send:
        @Sendable (OrchestrationCommand) async throws(PushError) -> OrchestrationCommand

    init(
        _ orchestrator: OneSpanOrchestrator,
        send:
            @escaping @Sendable (OrchestrationCommand) async throws(PushError) ->
            OrchestrationCommand
    ) {
        self.orchestrator = orchestrator
        self.send = send
    }

    func begin(_ user: OrchestrationUser, _ deviceToken: DeviceToken) async throws(PushError) {
        let identifier = try await orchestrator.registerNotificationService(deviceToken)
        try await orchestrator.startNotificationRegistration(
            NotificationRegistrationParameters(
                orchestrationUser: user, notificationIdentifier: identifier, delegate: self))
    }

    func onNotificationRegistrationComplete(
        _ command: OrchestrationCommand
    ) async throws(PushError) {
        await orchestrator.execute(try await send(command))
    }

    func onNotificationRegistrationSuccess(
        _ user: OrchestrationUser, _ identifier: NotificationIdentifier
    ) async {
        print("Registered.")
    }
}

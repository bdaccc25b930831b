import Foundation
import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting

/// What a delegate heard, in order.
enum Heard: Hashable, Sendable {
    case step, complete
    case activated
    case inputError(ActivationInputProblem)
    case aborted
    case registered(String)
    case displayed(DisplayContent)
    case success(RemoteAuthenticationResult.RemoteSessionState)
    case outdated(SessionOutdatedReason)
    case passwordError(Int?)
    case passwordChanged, unusable
    case error(OneSpanError?)
    case serverError(Int32)
    case warning(OrchestrationWarning)
}

/// What delegates heard; a test waits for what it expects.
actor Diary {
    private(set) var heard: [Heard] = []
    /// The tokens that came with answers.
    private(set) var tokens: [Secret?] = []
    /// Why requests could only be rejected.
    private(set) var problems: [DisplayProblem] = []
    /// The commands that the app was to carry.
    private(set) var commands: [OrchestrationCommand] = []
    private var waiting: [(Heard, CheckedContinuation<Void, Never>)] = []
    private var reactions: [Heard: @Sendable () async -> Void] = [:]

    /// Has the app do something within the call by which it hears something.
    func on(_ entry: Heard, _ reaction: @escaping @Sendable () async -> Void) {
        reactions[entry] = reaction
    }

    func reaction(to entry: Heard) -> (@Sendable () async -> Void)? { reactions[entry] }

    func note(_ result: RemoteAuthenticationResult) {
        tokens.append(result.authToken)
        note(.success(result.remoteSessionState))
    }

    func note(_ problem: DisplayProblem) { problems.append(problem) }

    func note(_ command: OrchestrationCommand) { commands.append(command) }

    func note(_ entry: Heard) {
        heard.append(entry)
        let awake = waiting.filter { $0.0 == entry }
        waiting.removeAll { $0.0 == entry }
        for (_, continuation) in awake { continuation.resume() }
    }

    /// Waits until something has been heard.
    func wait(for entry: Heard) async {
        guard !heard.contains(entry) else { return }
        await withCheckedContinuation { waiting.append((entry, $0)) }
    }

    /// What was heard besides commands to be carried.
    var news: [Heard] { heard.filter { $0 != .step } }
}

/// An app: it carries commands to its server by itself, and does what the test says.
final class App: Sendable {
    let diary = Diary()
    let harness: OneSpanHarness
    let orchestrator: OneSpanOrchestrator
    let decision: Heard?
    let carries: Bool

    /// - Parameters:
    ///   - harness: The device it runs on.
    ///   - decision: `success(.accepted)` approves, `success(.refused)` rejects; `nil`: the user
    ///     doesn't react.
    ///   - carries: Whether commands reach the server.
    init(_ harness: OneSpanHarness, decision: Heard? = .success(.accepted), carries: Bool = true) {
        self.harness = harness
        self.decision = decision
        self.carries = carries
        orchestrator = OneSpanOrchestrator(harness.authenticator, provider: harness.provider)
    }

    func listen() async {
        await orchestrator.setErrorDelegate(self)
        await orchestrator.setWarningDelegate(self)
        await orchestrator.setRemoteAuthenticationDelegate(self)
        await orchestrator.setRemoteTransactionDelegate(self)
    }

    /// Takes a command to the server, and its reply to the orchestrator.
    func carry(_ command: OrchestrationCommand) async {
        guard carries, let reply = try? await exchange(command) else { return }
        await orchestrator.execute(reply)
    }

    func exchange(_ command: OrchestrationCommand) async throws -> OrchestrationCommand {
        let relay = HTTPCommandRelay(
            try Endpoint("https://app.example.com/commands"),
            in: Environment(
                transport: harness.transport, store: harness.store, verifier: harness.user,
                device: Device(name: "Phone", platform: .android)))
        return try await relay.exchange(command, correlation: FlowID("app"))
    }

    func show(_ content: DisplayContent, _ caller: DisplayDataCaller) async {
        await diary.note(.displayed(content))
        if let problem = caller.problem { await diary.note(problem) }
        switch decision {
        case .success(.accepted): caller.onDataApproved()
        case .success(.refused): caller.onDataRejected()
        default: break
        }
    }
}

extension App: OnlineActivationDelegate {
    func onActivationStepComplete(_ command: OrchestrationCommand) async {
        await diary.note(command)
        await diary.note(.step)
        await carry(command)
    }
    func onActivationSuccess() async { await diary.note(.activated) }
    func onActivationInputError(_ error: ActivationInputProblem) async {
        await diary.note(.inputError(error))
    }
    func onActivationAborted() async { await diary.note(.aborted) }
}

extension App: RemoteAuthenticationDelegate {
    func onRemoteAuthenticationDisplayData(
        _ dataToDisplay: DisplayContent, _ caller: DisplayDataCaller
    ) async { await show(dataToDisplay, caller) }
    func onRemoteAuthenticationStepComplete(_ command: OrchestrationCommand) async {
        await diary.note(command)
        await diary.note(.step)
        await carry(command)
    }
    func onRemoteAuthenticationSuccess(_ result: RemoteAuthenticationResult) async {
        await diary.note(result)
    }
    func onRemoteAuthenticationSessionOutdated(_ reason: SessionOutdatedReason) async {
        await diary.note(.outdated(reason))
    }
    func onRemoteAuthenticationAborted() async { await diary.note(.aborted) }
    func onRemoteAuthenticationPasswordError(attemptsLeft: Int?) async {
        await diary.note(.passwordError(attemptsLeft))
        await diary.reaction(to: .passwordError(attemptsLeft))?()
    }
}

extension App: RemoteTransactionDelegate {
    func onRemoteTransactionDisplayData(
        _ dataToDisplay: DisplayContent, _ caller: DisplayDataCaller
    ) async { await show(dataToDisplay, caller) }
    func onRemoteTransactionStepComplete(_ command: OrchestrationCommand) async {
        await diary.note(command)
        await diary.note(.step)
        await carry(command)
    }
    func onRemoteTransactionSuccess(_ result: RemoteAuthenticationResult) async {
        await diary.note(result)
    }
    func onRemoteTransactionSessionOutdated(_ reason: SessionOutdatedReason) async {
        await diary.note(.outdated(reason))
    }
    func onRemoteTransactionAborted() async { await diary.note(.aborted) }
    func onRemoteTransactionPasswordError(attemptsLeft: Int?) async {
        await diary.note(.passwordError(attemptsLeft))
    }
}

extension App: ChangePasswordDelegate {
    func onChangePasswordStepComplete(_ command: OrchestrationCommand) async {
        await diary.note(command)
        await diary.note(.step)
        await carry(command)
    }
    func onChangePasswordSuccess() async { await diary.note(.passwordChanged) }
    func onChangePasswordInputError() async { await diary.note(.unusable) }
    func onChangePasswordPasswordError(attemptsLeft: Int?) async {
        await diary.note(.passwordError(attemptsLeft))
    }
    func onChangePasswordAborted() async { await diary.note(.aborted) }
}

extension App: OrchestrationErrorDelegate, OrchestrationWarningDelegate {
    func onOrchestrationError(_ error: PushError) async {
        await diary.note(.error(error.oneSpan))
    }
    func onOrchestrationServerError(_ error: ServerError) async {
        await diary.note(.serverError(error.returnCode))
    }
    func onOrchestrationWarning(_ warning: OrchestrationWarning) async {
        await diary.note(.warning(warning))
    }
}

/// Implements the method of OneSpan's API reference.
final class StepDelegate: NotificationRegistrationDelegate {
    let app: App
    init(_ app: App) { self.app = app }

    func onNotificationRegistrationStepComplete(_ command: OrchestrationCommand) async {
        await app.diary.note(command)
        await app.diary.note(.step)
        await app.carry(command)
    }
    func onNotificationRegistrationComplete(_ command: OrchestrationCommand) async {
        await app.diary.note(.complete)
    }
    func onNotificationRegistrationSuccess(
        _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
    ) async { await app.diary.note(.registered(orchestrationUser.userIdentifier)) }
}

/// Implements the method of OneSpan's guide alone.
final class CompleteDelegate: NotificationRegistrationDelegate {
    let app: App
    init(_ app: App) { self.app = app }

    func onNotificationRegistrationComplete(_ command: OrchestrationCommand) async {
        await app.diary.note(.complete)
        await app.carry(command)
    }
    func onNotificationRegistrationSuccess(
        _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
    ) async { await app.diary.note(.registered(orchestrationUser.userIdentifier)) }
}

/// Implements neither.
final class SilentDelegate: NotificationRegistrationDelegate {
    let app: App
    init(_ app: App) { self.app = app }

    func onNotificationRegistrationSuccess(
        _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
    ) async { await app.diary.note(.registered(orchestrationUser.userIdentifier)) }
}

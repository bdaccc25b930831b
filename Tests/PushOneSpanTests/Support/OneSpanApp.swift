import PushCore
import PushOneSpan
import PushOneSpanSimulator
import PushTesting

/// An app as OneSpan's documentation shows it: the vendor's door on a device, delegates, and
/// commands that it carries itself.
actor OneSpanApp {
    /// What it was told, in its order.
    enum Event: Hashable, Sendable {
        case step(UInt8)
        case activated, activationAborted, activationInput(ActivationInputProblem)
        case registered(String)
        case displayed(RequestKind, DisplayContent)
        case success(RequestKind, RemoteAuthenticationResult.RemoteSessionState, token: Bool)
        case outdated(RequestKind, SessionOutdatedReason)
        case aborted(RequestKind)
        case passwordError(RequestKind, Int?)
        case changed, changeInput, changePasswordError(Int?), changeAborted
        case error(OneSpanError?)
        case serverError(Int32, isAuthenticated: Bool)
        case warning(OrchestrationWarning)

        var isDisplay: Bool { if case .displayed = self { true } else { false } }
        var isStep: Bool { if case .step = self { true } else { false } }
    }

    /// What its user does with what is shown.
    enum Taste: Sendable { case approve, reject, wait }

    let harness: OneSpanHarness
    let door: OneSpanOrchestrator
    nonisolated var site: Site { harness.site }

    private(set) var events: [Event] = []
    private(set) var callers: [DisplayDataCaller] = []

    /// The tokens that came with answers.
    private(set) var tokens: [Secret?] = []

    /// Why requests could only be rejected.
    private(set) var problems: [DisplayProblem] = []

    /// The commands that it was to carry.
    private(set) var commands: [OrchestrationCommand] = []

    private var taste: Taste
    private var carries: Bool
    private var reactions: [Event: @Sendable () async -> Void] = [:]
    private var watchers: [(isMet: @Sendable ([Event]) -> Bool, CheckedContinuation<Void, Never>)] =
        []

    /// - Parameters:
    ///   - harness: The device it runs on.
    ///   - taste: What its user does with what is shown.
    ///   - carries: Whether commands reach the server.
    init(_ harness: OneSpanHarness, taste: Taste = .approve, carries: Bool = true) async {
        self.harness = harness
        self.taste = taste
        self.carries = carries
        door = OneSpanOrchestrator(harness.authenticator, provider: harness.provider)
        await door.setErrorDelegate(self)
        await door.setWarningDelegate(self)
        await door.setRemoteAuthenticationDelegate(self)
        await door.setRemoteTransactionDelegate(self)
    }

    func prefer(_ taste: Taste) { self.taste = taste }

    /// Whether commands reach the server at all.
    func carry(_ carries: Bool) { self.carries = carries }

    /// Has it do something within the call by which it is told a wrong password.
    func on(_ event: Event, _ reaction: @escaping @Sendable () async -> Void) {
        reactions[event] = reaction
    }

    /// Waits until what it was told meets a condition.
    func wait(until isMet: @escaping @Sendable ([Event]) -> Bool) async {
        guard !isMet(events) else { return }
        await withCheckedContinuation { watchers.append((isMet, $0)) }
    }

    func wait(for event: Event) async { await wait { $0.contains(event) } }

    func count(_ event: Event) -> Int { events.filter { $0 == event }.count }

    /// What it was told besides commands to be carried.
    var news: [Event] { events.filter { !$0.isStep } }

    func note(_ event: Event) {
        events.append(event)
        let met = watchers.filter { $0.isMet(events) }
        watchers.removeAll { $0.isMet(events) }
        for watcher in met { watcher.1.resume() }
    }

    /// Takes a command to the server, and its reply to the door.
    func send(_ command: OrchestrationCommand) {
        guard let read = Command(hex: command.hex) else { return }
        commands.append(command)
        note(.step(read.type))
        guard carries else { return }
        Task { [site, door] in
            guard let reply = try await site.server.carry(read) else { return }
            await door.execute(reply.hex)
        }
    }

    private func display(
        _ kind: RequestKind, _ content: DisplayContent, _ caller: DisplayDataCaller
    ) {
        callers.append(caller)
        if let problem = caller.problem { problems.append(problem) }
        note(.displayed(kind, content))
        switch taste {
        case .approve: caller.onDataApproved()
        case .reject: caller.onDataRejected()
        case .wait: break
        }
    }

    private func end(_ kind: RequestKind, _ result: RemoteAuthenticationResult) {
        tokens.append(result.authToken)
        note(.success(kind, result.remoteSessionState, token: result.authToken != nil))
    }

    private func refuse(_ event: Event) async {
        note(event)
        await reactions[event]?()
    }
}

extension OneSpanApp: OnlineActivationDelegate {
    func onActivationStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onActivationSuccess() { note(.activated) }
    func onActivationInputError(_ error: ActivationInputProblem) {
        note(.activationInput(error))
    }
    func onActivationAborted() { note(.activationAborted) }
}

extension OneSpanApp: NotificationRegistrationDelegate {
    func onNotificationRegistrationStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onNotificationRegistrationSuccess(
        _ orchestrationUser: OrchestrationUser, _ notificationIdentifier: NotificationIdentifier
    ) { note(.registered(orchestrationUser.userIdentifier)) }
}

extension OneSpanApp: RemoteAuthenticationDelegate {
    func onRemoteAuthenticationDisplayData(
        _ dataToDisplay: DisplayContent, _ caller: DisplayDataCaller
    ) { display(.authentication, dataToDisplay, caller) }
    func onRemoteAuthenticationStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onRemoteAuthenticationSuccess(_ result: RemoteAuthenticationResult) {
        end(.authentication, result)
    }
    func onRemoteAuthenticationSessionOutdated(_ reason: SessionOutdatedReason) {
        note(.outdated(.authentication, reason))
    }
    func onRemoteAuthenticationAborted() { note(.aborted(.authentication)) }
    func onRemoteAuthenticationPasswordError(attemptsLeft: Int?) async {
        await refuse(.passwordError(.authentication, attemptsLeft))
    }
}

extension OneSpanApp: RemoteTransactionDelegate {
    func onRemoteTransactionDisplayData(
        _ dataToDisplay: DisplayContent, _ caller: DisplayDataCaller
    ) { display(.transaction, dataToDisplay, caller) }
    func onRemoteTransactionStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onRemoteTransactionSuccess(_ result: RemoteAuthenticationResult) {
        end(.transaction, result)
    }
    func onRemoteTransactionSessionOutdated(_ reason: SessionOutdatedReason) {
        note(.outdated(.transaction, reason))
    }
    func onRemoteTransactionAborted() { note(.aborted(.transaction)) }
    func onRemoteTransactionPasswordError(attemptsLeft: Int?) async {
        await refuse(.passwordError(.transaction, attemptsLeft))
    }
}

extension OneSpanApp: ChangePasswordDelegate {
    func onChangePasswordStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onChangePasswordSuccess() { note(.changed) }
    func onChangePasswordInputError() { note(.changeInput) }
    func onChangePasswordPasswordError(attemptsLeft: Int?) {
        note(.changePasswordError(attemptsLeft))
    }
    func onChangePasswordAborted() { note(.changeAborted) }
}

extension OneSpanApp: OrchestrationErrorDelegate, OrchestrationWarningDelegate {
    func onOrchestrationError(_ error: PushError) { note(.error(error.oneSpan)) }
    func onOrchestrationServerError(_ error: ServerError) {
        note(.serverError(error.returnCode, isAuthenticated: error.isAuthenticated))
    }
    func onOrchestrationWarning(_ warning: OrchestrationWarning) { note(.warning(warning)) }
}

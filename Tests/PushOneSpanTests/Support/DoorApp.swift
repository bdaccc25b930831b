import PushCore
import PushOneSpan

/// An app as OneSpan's documentation shows it: delegates, and commands that it carries itself.
actor DoorApp: OnlineActivationDelegate, NotificationRegistrationDelegate,
    RemoteAuthenticationDelegate, RemoteTransactionDelegate, ChangePasswordDelegate,
    OrchestrationErrorDelegate, OrchestrationWarningDelegate
{
    /// What it was told, in its order.
    enum Event: Equatable, Sendable {
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
    }

    /// What its user does with what is shown.
    enum Taste: Sendable { case approve, reject, wait }

    private(set) var events: [Event] = []
    private(set) var callers: [DisplayDataCaller] = []
    private var taste = Taste.approve
    private var carries = true
    private var orchestrator: OneSpanOrchestrator?
    private let server: CustomerServer
    private var watchers: [(isMet: @Sendable ([Event]) -> Bool, CheckedContinuation<Void, Never>)] =
        []

    init(_ server: CustomerServer) { self.server = server }

    func hold(_ orchestrator: OneSpanOrchestrator) { self.orchestrator = orchestrator }

    func prefer(_ taste: Taste) { self.taste = taste }

    /// Whether commands reach the server at all.
    func carry(_ carries: Bool) { self.carries = carries }

    /// Waits until what it was told meets a condition.
    func wait(until isMet: @escaping @Sendable ([Event]) -> Bool) async {
        guard !isMet(events) else { return }
        await withCheckedContinuation { watchers.append((isMet, $0)) }
    }

    func wait(for event: Event) async { await wait { $0.contains(event) } }

    func count(_ event: Event) -> Int { events.filter { $0 == event }.count }

    private func note(_ event: Event) {
        events.append(event)
        let met = watchers.filter { $0.isMet(events) }
        watchers.removeAll { $0.isMet(events) }
        for watcher in met { watcher.1.resume() }
    }

    private func send(_ command: OrchestrationCommand) {
        guard let read = Command(hex: command.hex) else { return }
        note(.step(read.type))
        guard carries else { return }
        Task { [server, orchestrator] in
            guard let reply = try await server.carry(read) else { return }
            await orchestrator?.execute(reply.hex)
        }
    }

    func onActivationStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onActivationSuccess() { note(.activated) }
    func onActivationInputError(_ error: ActivationInputProblem) {
        note(.activationInput(error))
    }
    func onActivationAborted() { note(.activationAborted) }

    func onNotificationRegistrationStepComplete(_ command: OrchestrationCommand) {
        send(command)
    }
    func onNotificationRegistrationSuccess(
        _ orchestrationUser: OrchestrationUser,
        _ notificationIdentifier: NotificationIdentifier
    ) { note(.registered(orchestrationUser.userIdentifier)) }

    private func display(
        _ kind: RequestKind, _ content: DisplayContent, _ caller: DisplayDataCaller
    ) {
        callers.append(caller)
        note(.displayed(kind, content))
        switch taste {
        case .approve: caller.onDataApproved()
        case .reject: caller.onDataRejected()
        case .wait: break
        }
    }

    func onRemoteAuthenticationDisplayData(
        _ dataToDisplay: DisplayContent, _ caller: DisplayDataCaller
    ) { display(.authentication, dataToDisplay, caller) }
    func onRemoteAuthenticationStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onRemoteAuthenticationSuccess(_ result: RemoteAuthenticationResult) {
        note(
            .success(
                .authentication, result.remoteSessionState, token: result.authToken != nil))
    }
    func onRemoteAuthenticationSessionOutdated(_ reason: SessionOutdatedReason) {
        note(.outdated(.authentication, reason))
    }
    func onRemoteAuthenticationAborted() { note(.aborted(.authentication)) }
    func onRemoteAuthenticationPasswordError(attemptsLeft: Int?) {
        note(.passwordError(.authentication, attemptsLeft))
    }

    func onRemoteTransactionDisplayData(
        _ dataToDisplay: DisplayContent, _ caller: DisplayDataCaller
    ) { display(.transaction, dataToDisplay, caller) }
    func onRemoteTransactionStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onRemoteTransactionSuccess(_ result: RemoteAuthenticationResult) {
        note(
            .success(.transaction, result.remoteSessionState, token: result.authToken != nil))
    }
    func onRemoteTransactionSessionOutdated(_ reason: SessionOutdatedReason) {
        note(.outdated(.transaction, reason))
    }
    func onRemoteTransactionAborted() { note(.aborted(.transaction)) }
    func onRemoteTransactionPasswordError(attemptsLeft: Int?) {
        note(.passwordError(.transaction, attemptsLeft))
    }

    func onChangePasswordStepComplete(_ command: OrchestrationCommand) { send(command) }
    func onChangePasswordSuccess() { note(.changed) }
    func onChangePasswordInputError() { note(.changeInput) }
    func onChangePasswordPasswordError(attemptsLeft: Int?) {
        note(.changePasswordError(attemptsLeft))
    }
    func onChangePasswordAborted() { note(.changeAborted) }

    func onOrchestrationError(_ error: PushError) { note(.error(error.oneSpan)) }
    func onOrchestrationServerError(_ error: ServerError) {
        note(.serverError(error.returnCode, isAuthenticated: error.isAuthenticated))
    }
    func onOrchestrationWarning(_ warning: OrchestrationWarning) { note(.warning(warning)) }
}

/// A device whose app uses the vendor's door.
struct DoorBench {
    let handset: OneSpanHarness
    let app: DoorApp
    let door: OneSpanOrchestrator
    var site: Site { handset.site }

    init(_ handset: OneSpanHarness) async {
        self.handset = handset
        app = DoorApp(handset.site.server)
        door = OneSpanOrchestrator(handset.authenticator, provider: handset.provider)
        await app.hold(door)
        await door.setErrorDelegate(app)
        await door.setWarningDelegate(app)
        await door.setRemoteAuthenticationDelegate(app)
        await door.setRemoteTransactionDelegate(app)
    }

    init(_ site: Site = Site(), instance: String? = nil) async throws {
        var setup = OneSpanHarness.Setup()
        setup.hasRelay = false
        setup.instance = instance
        await self.init(try await OneSpanHarness(site, setup: setup))
    }

    static let user = OrchestrationUser(Sample.user)

    /// A device that was activated and registered through the door.
    static func joined(
        _ site: Site = Site(), instance: String? = nil
    ) async throws -> DoorBench {
        let bench = try await DoorBench(site, instance: instance)
        try await bench.activate()
        try await bench.register()
        return bench
    }

    func activate(_ password: String? = nil, name: String = Sample.user) async throws {
        var typed = password
        if typed == nil { typed = try await site.password(of: name) }
        try await door.startActivation(
            OnlineActivationParameters(
                userIdentifier: name,
                activationPassword: Secret(Array((typed ?? "").utf8)), delegate: app))
    }

    func register(token: String = "token-a") async throws {
        let identifier = try await door.registerNotificationService(.fcm(token))
        try await door.startNotificationRegistration(
            NotificationRegistrationParameters(
                orchestrationUser: try await knownUser(),
                notificationIdentifier: identifier, delegate: app))
    }

    func knownUser() async throws -> OrchestrationUser {
        try await door.users().first ?? Self.user
    }

    /// Hands over the commands that were pushed.
    func execute() async throws {
        for message in try await handset.pushes() {
            let command = try OneSpanNotification.parseOneSpanNotification(message)
            await door.execute(command)
        }
    }

    func changePassword(from old: String = Sample.pin, to new: String) async throws {
        await handset.user.type(old)
        await handset.user.choose(new)
        try await door.startChangePassword(
            ChangePasswordParameters(
                orchestrationUser: try await knownUser(), delegate: app))
    }

    /// The same device after its process was killed.
    func restarted() async throws -> DoorBench { await DoorBench(try await handset.restarted()) }
}

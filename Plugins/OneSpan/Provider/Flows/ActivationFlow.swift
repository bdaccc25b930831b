/// The life of one user on this device, from activation to deletion, as a table.
///
/// Our reading of OneSpan's workflow ("Activation", four round trips). Where OneSpan's documents
/// are silent, such as on a killed process, the rows are ours.
enum ActivationFlow {
    /// Where a user stands.
    enum State: Hashable, Sendable, CaseIterable {
        /// Not on this device.
        case idle
        /// The user chooses a password.
        case enrolling
        /// The first to fourth command is on its way.
        case awaiting1, awaiting2, awaiting3, awaiting4
        /// Activated on the device; the server still wants the notification registration.
        case activePendingNotification
        /// Complete.
        case active
        /// The server said, authenticated, that it removed the device.
        case deactivated
        /// Ended without a device; idle as soon as it is told.
        case aborted, failed
    }

    /// What happens.
    enum Event: Hashable, Sendable, CaseIterable {
        case startWithInvalidInputs, startWithValidInputs
        case passwordUnusable, passwordAccepted
        case cancel
        /// The reply that the state waits for.
        case reply
        case repeatedReply
        /// A reply that can't be read, or an error that nobody authenticated.
        case noise
        case relayFailure
        case sealedError
        /// The sealed −1300: the device is removed.
        case removedByServer
        /// Nothing came for too long after the first command.
        case noReply
        /// The time that the server gave for the activation is over, by the monotonic clock.
        case timerEnd
        case processDeath
        case notificationRegistered
        case deleteUser
        /// The delegates have been called.
        case told
    }

    /// What to do.
    enum Effect: Hashable, Sendable {
        case reportInputError, askForPassword, askForPasswordAgain
        case emit(command: Int)
        case makeKeys, startTimer, storeProvisional, storeBytes, eraseSessionKeys, commit
        case eraseProvisional, eraseUser, eraseStoredIdentifier
        case tellSuccess, tellAborted, tellServerError, tellRelayFailure, tellExpired, tellRemoved
        case tellReplayed, tellNoise, tellAlreadyActivated, tellInProgress
        case resend, abortRunningFlows
        case complain(FlowComplaint)
    }

    static func next(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch state {
        case .idle: idle(event)
        case .enrolling: enrolling(event)
        case .awaiting1, .awaiting2, .awaiting3, .awaiting4: awaiting(state, event)
        case .activePendingNotification, .active, .deactivated: activated(state, event)
        case .aborted, .failed:
            event == .told ? Transition(.idle) : unlisted(state, event)
        }
    }

    private static func idle(_ event: Event) -> Transition<State, Effect> {
        switch event {
        case .startWithInvalidInputs: Transition(.idle, [.reportInputError])
        case .startWithValidInputs: Transition(.enrolling, [.askForPassword])
        case .processDeath: Transition(.idle)
        default: unlisted(.idle, event)
        }
    }

    private static func enrolling(_ event: Event) -> Transition<State, Effect> {
        switch event {
        case .startWithInvalidInputs, .startWithValidInputs:
            Transition(.enrolling, [.tellInProgress])
        case .passwordUnusable: Transition(.enrolling, [.askForPasswordAgain])
        case .passwordAccepted: Transition(.awaiting1, [.makeKeys, .emit(command: 1)])
        case .cancel: Transition(.aborted, [.tellAborted])
        case .deleteUser: Transition(.idle, [.tellAborted, .eraseUser])
        case .processDeath: Transition(.idle, [.eraseProvisional])
        default: unlisted(.enrolling, event)
        }
    }

    private static func awaiting(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch (event, state) {
        case (.startWithInvalidInputs, _), (.startWithValidInputs, _):
            Transition(state, [.tellInProgress])
        case (.reply, _): replied(state)
        case (.repeatedReply, _): Transition(state, [.tellReplayed])
        case (.relayFailure, _): Transition(state, [.tellRelayFailure, .resend])
        case (.sealedError, _), (.removedByServer, _):
            Transition(.failed, [.eraseProvisional, .tellServerError])
        case (.cancel, _): Transition(.aborted, [.eraseProvisional, .tellAborted])
        case (.deleteUser, _): Transition(.idle, [.eraseProvisional, .tellAborted, .eraseUser])
        case (.noReply, .awaiting1):
            Transition(.failed, [.eraseProvisional, .tellRelayFailure])
        case (.timerEnd, .awaiting2), (.timerEnd, .awaiting3):
            Transition(.failed, [.eraseProvisional, .tellExpired])
        // The server may have accepted the last command: only its word, or the app's, ends this.
        case (.timerEnd, .awaiting4), (.processDeath, .awaiting4): Transition(state, [.resend])
        case (.processDeath, _): Transition(.idle, [.eraseProvisional])
        default: unlisted(state, event)
        }
    }

    private static func replied(_ state: State) -> Transition<State, Effect> {
        switch state {
        case .awaiting1: Transition(.awaiting2, [.startTimer, .emit(command: 2)])
        case .awaiting2: Transition(.awaiting3, [.storeProvisional, .emit(command: 3)])
        case .awaiting3:
            Transition(.awaiting4, [.storeBytes, .eraseSessionKeys, .emit(command: 4)])
        default: Transition(.activePendingNotification, [.commit, .tellSuccess])
        }
    }

    private static func activated(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch (event, state) {
        case (.deleteUser, _):
            Transition(.idle, [.abortRunningFlows, .eraseUser, .eraseStoredIdentifier])
        case (.startWithInvalidInputs, .deactivated), (.startWithValidInputs, .deactivated):
            Transition(state, [.tellRemoved])
        case (.startWithInvalidInputs, _), (.startWithValidInputs, _):
            Transition(state, [.tellAlreadyActivated])
        case (.processDeath, _): Transition(state)
        case (.removedByServer, .activePendingNotification), (.removedByServer, .active):
            Transition(.deactivated, [.tellRemoved, .abortRunningFlows])
        case (.notificationRegistered, .activePendingNotification),
            (.notificationRegistered, .active):
            Transition(.active)
        default: unlisted(state, event)
        }
    }

    private static func unlisted(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch event {
        case .noise: Transition(state, [.tellNoise])
        case .reply, .repeatedReply, .sealedError, .removedByServer:
            Transition(state, [.complain(.unexpectedCommand)])
        case .processDeath: Transition(.idle)
        default: Transition(state, [.complain(.invalidState)])
        }
    }
}

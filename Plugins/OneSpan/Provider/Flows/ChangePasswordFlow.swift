/// A change of the user's password, as a table.
///
/// Only the server knows whether the old password was right, and while its word is missing nobody
/// knows which key counts. So a change that was sent stays until its reply came.
enum ChangePasswordFlow {
    /// Where a change stands.
    enum State: Hashable, Sendable, CaseIterable {
        case idle
        /// The user enters the old password, then chooses a new one.
        case enrolling
        /// The command is on its way.
        case changing
        /// The server's counter is ahead: the old password must be asked for once more.
        case repeating
    }

    /// What happens.
    enum Event: Hashable, Sendable, CaseIterable {
        case startNotActivated, start
        /// Weak, not confirmed, or the same as the old one.
        case passwordUnusable
        case passwordsAccepted
        case cancel
        case processDeath
        /// The server took the change.
        case changed
        /// The server says that the old password was wrong.
        case oldPasswordWrong
        case counterRefused
        case sealedError
        /// A reply that can't be read, or an error that nobody authenticated.
        case noise
        case relayFailure
        /// The old password, when it is asked for again.
        case oldPasswordGiven
        case remoteRequest
        case userGone
    }

    /// What to do.
    enum Effect: Hashable, Sendable {
        case askForPasswords, askAgain, askForOldPassword
        case storeBytes, emit, resend, sealAgain
        case dropOld, dropNew, eraseAll
        case tellSuccess, tellPasswordError, tellServerError, tellRelayFailure, tellNoise
        case tellNotActivated, tellAborted, tellUnfinished
        case queueRequest
        case complain(FlowComplaint)
    }

    static func next(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch (state, event) {
        case (_, .userGone): Transition(.idle, [.eraseAll])
        case (_, .noise): Transition(state, [.tellNoise])
        case (.idle, .startNotActivated): Transition(.idle, [.tellNotActivated])
        case (.idle, .start): Transition(.enrolling, [.askForPasswords])
        case (.idle, .processDeath): Transition(.idle)
        case (.enrolling, .passwordUnusable): Transition(.enrolling, [.askAgain])
        case (.enrolling, .cancel): Transition(.idle, [.tellAborted])
        case (.enrolling, .processDeath): Transition(.idle)
        case (.enrolling, .passwordsAccepted): Transition(.changing, [.storeBytes, .emit])
        case (.changing, .changed): Transition(.idle, [.dropOld, .tellSuccess])
        case (.changing, .oldPasswordWrong): Transition(.idle, [.dropNew, .tellPasswordError])
        case (.changing, .counterRefused): Transition(.repeating, [.askForOldPassword])
        case (.changing, .sealedError), (.repeating, .sealedError):
            Transition(.idle, [.dropNew, .tellServerError])
        case (.changing, .relayFailure): Transition(.changing, [.tellRelayFailure, .resend])
        case (.changing, .processDeath), (.repeating, .processDeath):
            Transition(.changing, [.resend])
        case (.changing, .cancel), (.repeating, .cancel): Transition(state, [.tellUnfinished])
        case (.repeating, .oldPasswordGiven): Transition(.changing, [.sealAgain, .emit])
        case (.changing, .remoteRequest), (.repeating, .remoteRequest):
            Transition(state, [.queueRequest])
        default: unlisted(state, event)
        }
    }

    private static func unlisted(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch event {
        case .changed, .oldPasswordWrong, .counterRefused, .sealedError:
            Transition(state, [.complain(.unexpectedCommand)])
        default: Transition(state, [.complain(.invalidState)])
        }
    }
}

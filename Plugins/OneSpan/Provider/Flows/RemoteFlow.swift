/// A remote authentication or transaction, as a table: fetch, decide, authenticate, answer.
///
/// Our reading of OneSpan's workflows "Remote authentication" and "Remote transaction". That a
/// wrong response may be tried again, and what a killed process leaves behind, is ours.
enum RemoteFlow {
    /// Where a request stands.
    enum State: Hashable, Sendable, CaseIterable {
        case idle
        /// The request is being fetched; after a refused counter a decision already stands.
        case fetching(standing: Bool?)
        /// The user sees the data.
        case deciding
        /// The user sees what can be shown of the data, and can only reject.
        case denying
        /// The user has approved, and proves themselves.
        case authenticating
        /// The answer is on its way.
        case answering(approved: Bool)
        case done, outdated, aborted, failed

        static let allCases: [State] = [
            .idle, .fetching(standing: nil), .fetching(standing: true), .fetching(standing: false),
            .deciding, .denying, .authenticating, .answering(approved: true),
            .answering(approved: false), .done, .outdated, .aborted, .failed,
        ]

        var isIdle: Bool { self == .idle }

        var isOver: Bool {
            switch self {
            case .done, .outdated, .aborted, .failed: true
            default: false
            }
        }
    }

    /// What happens.
    enum Event: Hashable, Sendable {
        case trigger, triggerWithoutHandler, sameTrigger
        case triggerForAnotherDevice, malformedTrigger
        /// A reply to a flow that isn't here.
        case strayReply
        /// A reply that can't be read, or an error that nobody authenticated.
        case noise
        case challenge, challengeWithoutData, undecodableChallenge
        case notPending(SessionOutdatedReason)
        case approved(AuthenticationMethod)
        case rejected
        case secretGiven, unusableSecret, biometricUnavailable, authenticationCancelled
        case cancel
        /// The user's time is over, by the monotonic clock.
        case timeEnd
        case result(accepted: Bool)
        case decidedElsewhere(SessionOutdatedReason)
        case wrongResponse(attemptsLeft: Int)
        /// The last attempt was wrong: the session has failed.
        case failedResponse
        case resultExpired
        case counterRefused, counterRefusedAgain
        case sealedError
        case relayFailure
        /// Nothing came in time.
        case noReply
        case processDeath
        case userGone
        /// The delegates have been called.
        case told
    }

    /// What to do.
    enum Effect: Hashable, Sendable {
        case emitFetch, emitAnswer(approved: Bool), resend
        case raiseCounter, startTimer, storeAnswer, eraseStored, takeNext
        case display, displayToReject, authenticate(AuthenticationMethod), withdrawPrompt
        case queue
        case tellSuccess(accepted: Bool), tellOutdated(SessionOutdatedReason), tellAborted
        case tellPasswordError(attemptsLeft: Int?), tellServerError, tellRelayFailure, tellNoise
        case tellHandlerNotSet, tellNotForThisDevice, tellMalformed
        case complain(FlowComplaint)
    }

    static func next(
        _ state: State, _ event: Event, of kind: WorkflowKind
    ) -> Transition<State, Effect> {
        if let transition = everywhere(state, event) { return transition }
        switch state {
        case .idle: return idle(event)
        case .fetching(let standing): return fetching(standing, event, kind)
        case .deciding, .denying: return deciding(state, event)
        case .authenticating: return authenticating(event)
        case .answering(let approved): return answering(approved, event)
        case .done, .outdated, .aborted, .failed:
            return event == .told
                ? Transition(.idle, [.eraseStored, .takeNext]) : unlisted(state, event)
        }
    }

    private static func everywhere(_ state: State, _ event: Event) -> Transition<State, Effect>? {
        switch event {
        case .noise: return Transition(state, [.tellNoise])
        case .trigger, .triggerWithoutHandler:
            return state.isIdle ? nil : Transition(state, [.queue])
        case .sameTrigger: return state.isIdle ? nil : Transition(state)
        case .userGone:
            return state.isIdle || state.isOver
                ? nil : Transition(.aborted, [.eraseStored, .tellAborted])
        default: return nil
        }
    }

    private static func idle(_ event: Event) -> Transition<State, Effect> {
        switch event {
        case .trigger, .sameTrigger: Transition(.fetching(standing: nil), [.emitFetch])
        case .triggerWithoutHandler: Transition(.idle, [.tellHandlerNotSet])
        case .triggerForAnotherDevice: Transition(.idle, [.tellNotForThisDevice])
        case .malformedTrigger: Transition(.idle, [.tellMalformed])
        case .processDeath, .userGone: Transition(.idle)
        default: unlisted(.idle, event)
        }
    }
}

extension RemoteFlow {
    private static func fetching(
        _ standing: Bool?, _ event: Event, _ kind: WorkflowKind
    ) -> Transition<State, Effect> {
        let state = State.fetching(standing: standing)
        switch event {
        case .challengeWithoutData where kind == .transaction, .undecodableChallenge:
            return fetchedInPart(standing)
        case .challenge, .challengeWithoutData:
            return fetched(standing)
        case .notPending(let reason): return Transition(.outdated, [.tellOutdated(reason)])
        case .cancel: return Transition(.aborted, [.tellAborted])
        case .counterRefused: return Transition(state, [.raiseCounter, .emitFetch])
        case .sealedError, .counterRefusedAgain:
            return Transition(.failed, [.tellServerError])
        case .relayFailure: return Transition(state, [.tellRelayFailure, .resend])
        case .noReply: return Transition(.outdated, [.tellOutdated(.unknown)])
        case .processDeath: return Transition(.idle)
        default: return unlisted(state, event)
        }
    }

    /// A decision that stands is answered without a new question.
    private static func fetched(_ standing: Bool?) -> Transition<State, Effect> {
        switch standing {
        case nil: Transition(.deciding, [.startTimer, .display])
        case true?: Transition(.authenticating, [.startTimer, .authenticate(.password)])
        case false?:
            Transition(
                .answering(approved: false), [.storeAnswer, .emitAnswer(approved: false)])
        }
    }

    /// What the user would approve can't all be shown: an approval that stands was for something
    /// else.
    private static func fetchedInPart(_ standing: Bool?) -> Transition<State, Effect> {
        standing == false
            ? fetched(false) : Transition(.denying, [.startTimer, .displayToReject])
    }

    private static func deciding(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch event {
        case .approved(.none) where state == .deciding:
            Transition(.answering(approved: true), [.storeAnswer, .emitAnswer(approved: true)])
        case .approved(let method) where state == .deciding:
            Transition(.authenticating, [.authenticate(method)])
        case .rejected:
            Transition(.answering(approved: false), [.storeAnswer, .emitAnswer(approved: false)])
        case .cancel: Transition(.aborted, [.tellAborted])
        case .timeEnd: Transition(.outdated, [.withdrawPrompt, .tellOutdated(.expired)])
        case .processDeath: Transition(.idle)
        default: unlisted(state, event)
        }
    }

    private static func authenticating(_ event: Event) -> Transition<State, Effect> {
        switch event {
        case .approved, .rejected: Transition(.authenticating)
        case .secretGiven:
            Transition(.answering(approved: true), [.storeAnswer, .emitAnswer(approved: true)])
        case .biometricUnavailable: Transition(.authenticating, [.authenticate(.password)])
        case .unusableSecret:
            Transition(.authenticating, [.tellPasswordError(attemptsLeft: nil)])
        case .authenticationCancelled, .cancel: Transition(.aborted, [.tellAborted])
        case .timeEnd: Transition(.outdated, [.withdrawPrompt, .tellOutdated(.expired)])
        case .processDeath: Transition(.idle)
        default: unlisted(.authenticating, event)
        }
    }

    private static func answering(_ approved: Bool, _ event: Event) -> Transition<State, Effect> {
        let state = State.answering(approved: approved)
        switch event {
        case .approved, .rejected, .timeEnd: return Transition(state)
        case .result(let accepted): return Transition(.done, [.tellSuccess(accepted: accepted)])
        case .decidedElsewhere(let reason):
            return Transition(.outdated, [.tellOutdated(reason)])
        case .resultExpired: return Transition(.outdated, [.tellOutdated(.expired)])
        case .wrongResponse(let attemptsLeft):
            return Transition(
                .authenticating,
                [.tellPasswordError(attemptsLeft: attemptsLeft), .authenticate(.password)])
        case .failedResponse, .sealedError, .counterRefusedAgain:
            return Transition(.failed, [.tellServerError])
        case .counterRefused:
            return Transition(.fetching(standing: approved), [.raiseCounter, .emitFetch])
        case .relayFailure: return Transition(state, [.tellRelayFailure, .resend])
        case .noReply: return Transition(.failed, [.tellRelayFailure])
        case .processDeath: return Transition(state, [.resend])
        default: return unlisted(state, event)
        }
    }

    private static func unlisted(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch event {
        case .processDeath: Transition(.idle)
        case .strayReply, .challenge, .challengeWithoutData, .undecodableChallenge, .notPending,
            .result, .decidedElsewhere, .wrongResponse, .failedResponse, .resultExpired,
            .counterRefused, .counterRefusedAgain, .sealedError, .triggerForAnotherDevice,
            .malformedTrigger:
            Transition(state, [.complain(.unexpectedCommand)])
        default: Transition(state, [.complain(.invalidState)])
        }
    }
}

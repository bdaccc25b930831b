/// One user's notification registration, as a table.
///
/// The mark on the stored identifier is ours: without it a registration whose reply was lost would
/// compare equal when the system goes back to the earlier token, and the server would keep the
/// other one for good.
enum NotificationRegistrationFlow {
    /// Where a registration stands.
    enum State: Hashable, Sendable, CaseIterable {
        case notRegistered, registered
        /// The identifier is being asked for; what was true before is remembered.
        case obtaining(wasRegistered: Bool)
        /// The command is on its way; whether a newer identifier waits behind it.
        case awaitingServer(isOutdated: Bool)

        static let allCases: [State] = [
            .notRegistered, .registered, .obtaining(wasRegistered: false),
            .obtaining(wasRegistered: true), .awaitingServer(isOutdated: false),
            .awaitingServer(isOutdated: true),
        ]
    }

    /// What happens.
    enum Event: Hashable, Sendable, CaseIterable {
        /// The app starts, or the system reports a token.
        case newToken
        case providerFailed
        /// The identifier is the stored, confirmed one, and the user is active.
        case unchangedIdentifier
        /// It differs, none is confirmed, or the activation still waits for it.
        case changedIdentifier
        /// There is an identifier, and no user to register it for.
        case notActivated
        case reply
        case repeatedReply
        /// A reply that can't be read, or an error that nobody authenticated.
        case noise
        case sealedError
        /// The sealed −1302, for the first time and after another try.
        case counterRefused, counterRefusedAgain
        case relayFailure
        /// Nothing came in time.
        case noReply
        case processDeath
        /// The user was deleted, or removed by the server.
        case userGone
    }

    /// What to do.
    enum Effect: Hashable, Sendable {
        case askForIdentifier, useNewestIdentifier
        case markUnconfirmed, emit, resend, raiseCounterAndEmit
        case storeConfirmed, tellSuccess
        case tellFailed, tellNotActivated, tellServerError, tellRelayFailure, tellNoise
        case rememberChange, startAgain, eraseStored
        case complain(FlowComplaint)
    }

    static func next(_ state: State, _ event: Event) -> Transition<State, Effect> {
        if event == .userGone { return Transition(.notRegistered, [.eraseStored]) }
        if event == .noise { return Transition(state, [.tellNoise]) }
        switch state {
        case .notRegistered, .registered: return resting(state, event)
        case .obtaining(let wasRegistered): return obtaining(wasRegistered, event)
        case .awaitingServer(let isOutdated): return awaiting(isOutdated, event)
        }
    }

    private static func resting(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch event {
        case .newToken:
            Transition(.obtaining(wasRegistered: state == .registered), [.askForIdentifier])
        case .processDeath: Transition(state)
        // Late, or twice: the first one counted.
        case .reply, .repeatedReply: Transition(state)
        default: unlisted(state, event)
        }
    }

    private static func obtaining(
        _ wasRegistered: Bool, _ event: Event
    ) -> Transition<State, Effect> {
        let state = State.obtaining(wasRegistered: wasRegistered)
        let previous: State = wasRegistered ? .registered : .notRegistered
        return switch event {
        case .newToken: Transition(state, [.useNewestIdentifier])
        case .providerFailed, .noReply: Transition(previous, [.tellFailed])
        case .unchangedIdentifier: Transition(.registered)
        case .changedIdentifier:
            Transition(.awaitingServer(isOutdated: false), [.markUnconfirmed, .emit])
        case .notActivated: Transition(previous, [.tellNotActivated])
        case .processDeath: Transition(.notRegistered)
        case .reply, .repeatedReply: Transition(state)
        default: unlisted(state, event)
        }
    }

    private static func awaiting(_ isOutdated: Bool, _ event: Event) -> Transition<State, Effect> {
        let state = State.awaitingServer(isOutdated: isOutdated)
        let goOn: [Effect] = isOutdated ? [.startAgain] : []
        return switch event {
        case .newToken, .changedIdentifier:
            Transition(.awaitingServer(isOutdated: true), [.rememberChange])
        case .reply: Transition(.registered, [.storeConfirmed, .tellSuccess] + goOn)
        case .repeatedReply: Transition(state)
        case .sealedError, .counterRefusedAgain:
            Transition(.notRegistered, [.tellServerError] + goOn)
        case .counterRefused: Transition(state, [.raiseCounterAndEmit])
        case .relayFailure: Transition(state, [.tellRelayFailure, .resend])
        case .noReply: Transition(.notRegistered, [.tellRelayFailure] + goOn)
        case .processDeath: Transition(.notRegistered)
        default: unlisted(state, event)
        }
    }

    private static func unlisted(_ state: State, _ event: Event) -> Transition<State, Effect> {
        switch event {
        case .sealedError, .counterRefused, .counterRefusedAgain:
            Transition(state, [.complain(.unexpectedCommand)])
        default: Transition(state, [.complain(.invalidState)])
        }
    }
}

import Testing

@testable import PushOneSpan

/// Every state of the activation's table against every event.
@Suite struct ActivationFlowTests {
    private typealias Table = ActivationFlow

    private static let awaiting: [Table.State] = [.awaiting1, .awaiting2, .awaiting3, .awaiting4]
    private static let activated: [Table.State] = [
        .activePendingNotification, .active, .deactivated,
    ]
    private static let starts: [Table.Event] = [.startWithInvalidInputs, .startWithValidInputs]

    /// What the table lists: state, event, state after it, effects.
    private static let rows: [(Table.State, Table.Event, Table.State, [Table.Effect])] = {
        var rows: [(Table.State, Table.Event, Table.State, [Table.Effect])] = [
            (.idle, .startWithInvalidInputs, .idle, [.reportInputError]),
            (.idle, .startWithValidInputs, .enrolling, [.askForPassword]),
            (.idle, .processDeath, .idle, []),
            (.enrolling, .passwordUnusable, .enrolling, [.askForPasswordAgain]),
            (.enrolling, .cancel, .aborted, [.tellAborted]),
            (.enrolling, .passwordAccepted, .awaiting1, [.makeKeys, .emit(command: 1)]),
            (.enrolling, .deleteUser, .idle, [.tellAborted, .eraseUser]),
            (.enrolling, .processDeath, .idle, [.eraseProvisional]),
            (.awaiting1, .reply, .awaiting2, [.startTimer, .emit(command: 2)]),
            (.awaiting2, .reply, .awaiting3, [.storeProvisional, .emit(command: 3)]),
            (
                .awaiting3, .reply, .awaiting4,
                [.storeBytes, .eraseSessionKeys, .emit(command: 4)]
            ),
            (.awaiting4, .reply, .activePendingNotification, [.commit, .tellSuccess]),
            (.awaiting1, .noReply, .failed, [.eraseProvisional, .tellRelayFailure]),
            (.awaiting2, .timerEnd, .failed, [.eraseProvisional, .tellExpired]),
            (.awaiting3, .timerEnd, .failed, [.eraseProvisional, .tellExpired]),
            (.awaiting4, .timerEnd, .awaiting4, [.resend]),
            (.awaiting1, .processDeath, .idle, [.eraseProvisional]),
            (.awaiting2, .processDeath, .idle, [.eraseProvisional]),
            (.awaiting3, .processDeath, .idle, [.eraseProvisional]),
            (.awaiting4, .processDeath, .awaiting4, [.resend]),
            (.activePendingNotification, .notificationRegistered, .active, []),
            (.active, .notificationRegistered, .active, []),
            (
                .activePendingNotification, .removedByServer, .deactivated,
                [.tellRemoved, .abortRunningFlows]
            ),
            (.active, .removedByServer, .deactivated, [.tellRemoved, .abortRunningFlows]),
            (.aborted, .told, .idle, []),
            (.failed, .told, .idle, []),
            (.aborted, .processDeath, .idle, []),
            (.failed, .processDeath, .idle, []),
        ]
        for start in starts {
            rows.append((.enrolling, start, .enrolling, [.tellInProgress]))
            rows.append((.deactivated, start, .deactivated, [.tellRemoved]))
            for state in [.activePendingNotification, .active] as [Table.State] {
                rows.append((state, start, state, [.tellAlreadyActivated]))
            }
        }
        for state in awaiting {
            rows += starts.map { (state, $0, state, [.tellInProgress]) }
            rows.append((state, .repeatedReply, state, [.tellReplayed]))
            rows.append((state, .relayFailure, state, [.tellRelayFailure, .resend]))
            rows.append((state, .sealedError, .failed, [.eraseProvisional, .tellServerError]))
            rows.append(
                (state, .removedByServer, .failed, [.eraseProvisional, .tellServerError]))
            rows.append((state, .cancel, .aborted, [.eraseProvisional, .tellAborted]))
            rows.append(
                (state, .deleteUser, .idle, [.eraseProvisional, .tellAborted, .eraseUser]))
        }
        for state in activated {
            rows.append(
                (
                    state, .deleteUser, .idle,
                    [.abortRunningFlows, .eraseUser, .eraseStoredIdentifier]
                ))
            rows.append((state, .processDeath, state, []))
        }
        for state in Table.State.allCases { rows.append((state, .noise, state, [.tellNoise])) }
        return rows
    }()

    private static let commands: Set<Table.Event> = [
        .reply, .repeatedReply, .sealedError, .removedByServer,
    ]

    @Test func `every state answers every event as the table says`() {
        for state in Table.State.allCases {
            for event in Table.Event.allCases {
                let listed = Self.rows.filter { $0.0 == state && $0.1 == event }
                #expect(listed.count <= 1, "\(state) lists \(event) twice")
                let expected =
                    listed.first.map { Transition($0.2, $0.3) }
                    ?? Transition(
                        state,
                        [
                            .complain(
                                Self.commands.contains(event) ? .unexpectedCommand : .invalidState)
                        ])
                #expect(Table.next(state, event) == expected, "\(state), \(event)")
            }
        }
    }

    @Test func `every waiting state has a way out without the server`() {
        for state in [.enrolling] + Self.awaiting {
            #expect(Table.next(state, .cancel).state == .aborted)
        }
    }

    @Test func `only the last reply activates`() {
        var state = Table.State.enrolling
        for event in [.passwordAccepted, .reply, .reply, .reply] as [Table.Event] {
            state = Table.next(state, event).state
            #expect(state != .activePendingNotification)
        }
        #expect(Table.next(state, .reply).state == .activePendingNotification)
    }
}

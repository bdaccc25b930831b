import Testing

@testable import PushOneSpan

/// Every state of the password change's table against every event.
@Suite struct ChangePasswordFlowTests {
    private typealias Table = ChangePasswordFlow

    private static let rows: [(Table.State, Table.Event, Table.State, [Table.Effect])] = {
        var rows: [(Table.State, Table.Event, Table.State, [Table.Effect])] = [
            (.idle, .startNotActivated, .idle, [.tellNotActivated]),
            (.idle, .start, .enrolling, [.askForPasswords]),
            (.idle, .processDeath, .idle, []),
            (.enrolling, .passwordUnusable, .enrolling, [.askAgain]),
            (.enrolling, .cancel, .idle, [.tellAborted]),
            (.enrolling, .processDeath, .idle, []),
            (.enrolling, .passwordsAccepted, .changing, [.storeBytes, .emit]),
            (.changing, .changed, .idle, [.dropOld, .tellSuccess]),
            (.changing, .oldPasswordWrong, .idle, [.dropNew, .tellPasswordError]),
            (.changing, .counterRefused, .repeating, [.askForOldPassword]),
            (.changing, .relayFailure, .changing, [.tellRelayFailure, .resend]),
            (.repeating, .oldPasswordGiven, .changing, [.sealAgain, .emit]),
        ]
        for state in [.changing, .repeating] as [Table.State] {
            rows += [
                (state, .sealedError, .idle, [.dropNew, .tellServerError]),
                (state, .cancel, state, [.tellUnfinished]),
                (state, .processDeath, .changing, [.resend]),
                (state, .remoteRequest, state, [.queueRequest]),
            ]
        }
        for state in Table.State.allCases {
            rows.append((state, .userGone, .idle, [.eraseAll]))
            rows.append((state, .noise, state, [.tellNoise]))
        }
        return rows
    }()

    private static let commands: Set<Table.Event> = [
        .changed, .oldPasswordWrong, .counterRefused, .sealedError,
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

    @Test func `the old password is dropped by the server's word alone`() {
        for state in Table.State.allCases {
            for event in Table.Event.allCases
            where Table.next(state, event).effects.contains(.dropOld) {
                #expect((state, event) == (.changing, .changed))
            }
        }
    }
}

import Testing

@testable import PushOneSpan

/// Every state of the notification registration's table against every event.
@Suite struct NotificationRegistrationFlowTests {
    private typealias Table = NotificationRegistrationFlow

    private static let rows: [(Table.State, Table.Event, Table.State, [Table.Effect])] = {
        var rows: [(Table.State, Table.Event, Table.State, [Table.Effect])] = []
        for (state, was) in [(.notRegistered, false), (.registered, true)]
            as [(Table.State, Bool)]
        {
            let obtaining = Table.State.obtaining(wasRegistered: was)
            rows += [
                (state, .newToken, obtaining, [.askForIdentifier]),
                (state, .processDeath, state, []),
                (state, .reply, state, []),
                (state, .repeatedReply, state, []),
                (obtaining, .newToken, obtaining, [.useNewestIdentifier]),
                (obtaining, .providerFailed, state, [.tellFailed]),
                (obtaining, .noReply, state, [.tellFailed]),
                (obtaining, .unchangedIdentifier, .registered, []),
                (
                    obtaining, .changedIdentifier, .awaitingServer(isOutdated: false),
                    [.markUnconfirmed, .emit]
                ),
                (obtaining, .notActivated, state, [.tellNotActivated]),
                (obtaining, .processDeath, .notRegistered, []),
                (obtaining, .reply, obtaining, []),
                (obtaining, .repeatedReply, obtaining, []),
            ]
        }
        for isOutdated in [false, true] {
            let state = Table.State.awaitingServer(isOutdated: isOutdated)
            let again: [Table.Effect] = isOutdated ? [.startAgain] : []
            rows += [
                (state, .reply, .registered, [.storeConfirmed, .tellSuccess] + again),
                (state, .repeatedReply, state, []),
                (state, .sealedError, .notRegistered, [.tellServerError] + again),
                (state, .counterRefused, state, [.raiseCounterAndEmit]),
                (state, .counterRefusedAgain, .notRegistered, [.tellServerError] + again),
                (state, .relayFailure, state, [.tellRelayFailure, .resend]),
                (state, .noReply, .notRegistered, [.tellRelayFailure] + again),
                (state, .newToken, .awaitingServer(isOutdated: true), [.rememberChange]),
                (
                    state, .changedIdentifier, .awaitingServer(isOutdated: true),
                    [.rememberChange]
                ),
                (state, .processDeath, .notRegistered, []),
            ]
        }
        for state in Table.State.allCases {
            rows.append((state, .noise, state, [.tellNoise]))
            rows.append((state, .userGone, .notRegistered, [.eraseStored]))
        }
        return rows
    }()

    private static let commands: Set<Table.Event> = [
        .sealedError, .counterRefused, .counterRefusedAgain,
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

    @Test func `nothing is emitted before the mark`() throws {
        for state in Table.State.allCases {
            for event in Table.Event.allCases {
                let effects = Table.next(state, event).effects
                guard let emission = effects.firstIndex(of: .emit) else { continue }
                let mark = try #require(effects.firstIndex(of: .markUnconfirmed))
                #expect(mark < emission)
            }
        }
    }

    @Test func `only the server's reply confirms an identifier`() {
        for state in Table.State.allCases {
            for event in Table.Event.allCases where event != .reply {
                #expect(!Table.next(state, event).effects.contains(.storeConfirmed))
            }
        }
    }
}

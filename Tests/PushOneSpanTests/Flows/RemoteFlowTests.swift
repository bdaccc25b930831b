import Testing

@testable import PushOneSpan

/// Every state of the remote workflows' table against every event, for both workflows.
@Suite struct RemoteFlowTests {
    private typealias Table = RemoteFlow
    private typealias Row = (Table.State, Table.Event, Table.State, [Table.Effect])

    private static let reasons: [SessionOutdatedReason] = [
        .expired, .accepted, .refused, .unknown,
    ]
    private static let methods: [AuthenticationMethod] = [.none, .password, .biometric]
    private static let over: [Table.State] = [.done, .outdated, .aborted, .failed]
    private static let fetching: [Table.State] = [
        .fetching(standing: nil), .fetching(standing: true), .fetching(standing: false),
    ]
    private static let answering: [Table.State] = [
        .answering(approved: true), .answering(approved: false),
    ]

    private static let events: [Table.Event] =
        [
            .trigger, .triggerWithoutHandler, .sameTrigger, .triggerForAnotherDevice,
            .malformedTrigger, .strayReply, .noise, .challenge, .challengeWithoutData,
            .undecodableChallenge, .rejected, .secretGiven, .unusableSecret,
            .biometricUnavailable, .authenticationCancelled, .cancel, .timeEnd,
            .result(accepted: true), .result(accepted: false), .wrongResponse(attemptsLeft: 2),
            .failedResponse, .resultExpired, .counterRefused, .counterRefusedAgain,
            .sealedError, .relayFailure, .noReply, .processDeath, .userGone, .told,
        ] + reasons.flatMap { [.notPending($0), .decidedElsewhere($0)] }
        + methods.map { .approved($0) }

    private static let commands: Set<Table.Event> = Set(
        [
            .triggerForAnotherDevice, .malformedTrigger, .strayReply, .challenge,
            .challengeWithoutData, .undecodableChallenge, .result(accepted: true),
            .result(accepted: false), .wrongResponse(attemptsLeft: 2), .failedResponse,
            .resultExpired, .counterRefused, .counterRefusedAgain, .sealedError,
        ] + reasons.flatMap { [.notPending($0), .decidedElsewhere($0)] })

    private static func rows(of kind: WorkflowKind) -> [Row] {
        idleRows + fetchingRows(kind) + userRows + answeringRows + commonRows
    }

    private static let idleRows: [Row] = [
        (.idle, .trigger, .fetching(standing: nil), [.emitFetch]),
        (.idle, .sameTrigger, .fetching(standing: nil), [.emitFetch]),
        (.idle, .triggerWithoutHandler, .idle, [.tellHandlerNotSet]),
        (.idle, .triggerForAnotherDevice, .idle, [.tellNotForThisDevice]),
        (.idle, .malformedTrigger, .idle, [.tellMalformed]),
        (.idle, .processDeath, .idle, []),
        (.idle, .userGone, .idle, []),
    ]

    private static func fetchingRows(_ kind: WorkflowKind) -> [Row] {
        let after: [(Table.State, Table.State, [Table.Effect])] = [
            (.fetching(standing: nil), .deciding, [.startTimer, .display]),
            (
                .fetching(standing: true), .authenticating,
                [.startTimer, .authenticate(.password)]
            ),
            (
                .fetching(standing: false), .answering(approved: false),
                [.storeAnswer, .emitAnswer(approved: false)]
            ),
        ]
        var rows: [Row] = after.map { ($0.0, .challenge, $0.1, $0.2) }
        // An approval that stands was for something else; a rejection stands.
        let inPart = after.map { row -> (Table.State, Table.State, [Table.Effect]) in
            row.0 == .fetching(standing: false)
                ? row : (row.0, .denying, [.startTimer, .displayToReject])
        }
        rows += inPart.map { ($0.0, .undecodableChallenge, $0.1, $0.2) }
        rows += (kind == .transaction ? inPart : after).map {
            ($0.0, .challengeWithoutData, $0.1, $0.2)
        }
        for state in fetching {
            rows += [
                (state, .cancel, .aborted, [.tellAborted]),
                (state, .counterRefused, state, [.raiseCounter, .emitFetch]),
                (state, .counterRefusedAgain, .failed, [.tellServerError]),
                (state, .sealedError, .failed, [.tellServerError]),
                (state, .relayFailure, state, [.tellRelayFailure, .resend]),
                (state, .noReply, .outdated, [.tellOutdated(.unknown)]),
                (state, .processDeath, .idle, []),
            ]
            rows += reasons.map { (state, .notPending($0), .outdated, [.tellOutdated($0)]) }
        }
        return rows
    }

    private static let userRows: [Row] = {
        var rows: [Row] = [
            (
                .deciding, .approved(.none), .answering(approved: true),
                [.storeAnswer, .emitAnswer(approved: true)]
            ),
            (.deciding, .approved(.password), .authenticating, [.authenticate(.password)]),
            (.deciding, .approved(.biometric), .authenticating, [.authenticate(.biometric)]),
            (
                .deciding, .rejected, .answering(approved: false),
                [.storeAnswer, .emitAnswer(approved: false)]
            ),
            (
                .denying, .rejected, .answering(approved: false),
                [.storeAnswer, .emitAnswer(approved: false)]
            ),
            (
                .authenticating, .secretGiven, .answering(approved: true),
                [.storeAnswer, .emitAnswer(approved: true)]
            ),
            (
                .authenticating, .biometricUnavailable, .authenticating,
                [.authenticate(.password)]
            ),
            (
                .authenticating, .unusableSecret, .authenticating,
                [.tellPasswordError(attemptsLeft: nil)]
            ),
            (.authenticating, .authenticationCancelled, .aborted, [.tellAborted]),
            (.authenticating, .rejected, .authenticating, []),
        ]
        rows += methods.map { (.authenticating, .approved($0), .authenticating, []) }
        for state in [.deciding, .denying, .authenticating] as [Table.State] {
            rows += [
                (state, .cancel, .aborted, [.tellAborted]),
                (state, .timeEnd, .outdated, [.withdrawPrompt, .tellOutdated(.expired)]),
                (state, .processDeath, .idle, []),
            ]
        }
        return rows
    }()

    private static let answeringRows: [Row] = answering.flatMap { state -> [Row] in
        let approved = state == .answering(approved: true)
        let rows: [Row] = [
            (state, .result(accepted: true), .done, [.tellSuccess(accepted: true)]),
            (state, .result(accepted: false), .done, [.tellSuccess(accepted: false)]),
            (
                state, .wrongResponse(attemptsLeft: 2), .authenticating,
                [.tellPasswordError(attemptsLeft: 2), .authenticate(.password)]
            ),
            (state, .failedResponse, .failed, [.tellServerError]),
            (state, .resultExpired, .outdated, [.tellOutdated(.expired)]),
            (state, .sealedError, .failed, [.tellServerError]),
            (
                state, .counterRefused, .fetching(standing: approved),
                [.raiseCounter, .emitFetch]
            ),
            (state, .counterRefusedAgain, .failed, [.tellServerError]),
            (state, .relayFailure, state, [.tellRelayFailure, .resend]),
            (state, .noReply, .failed, [.tellRelayFailure]),
            (state, .processDeath, state, [.resend]),
            (state, .rejected, state, []),
            (state, .timeEnd, state, []),
        ]
        return rows + methods.map { (state, .approved($0), state, []) }
            + reasons.map { (state, .decidedElsewhere($0), .outdated, [.tellOutdated($0)]) }
    }

    private static let commonRows: [Row] = Table.State.allCases.flatMap { state -> [Row] in
        var rows: [Row] = [(state, .noise, state, [.tellNoise])]
        if state != .idle {
            rows += [
                (state, .trigger, state, [.queue]),
                (state, .triggerWithoutHandler, state, [.queue]),
                (state, .sameTrigger, state, []),
            ]
        }
        if over.contains(state) {
            rows += [
                (state, .told, .idle, [.eraseStored, .takeNext]), (state, .processDeath, .idle, []),
            ]
        } else if state != .idle {
            rows.append((state, .userGone, .aborted, [.eraseStored, .tellAborted]))
        }
        return rows
    }

    @Test(arguments: [WorkflowKind.authentication, .transaction])
    func `every state answers every event as the table says`(kind: WorkflowKind) {
        let rows = Self.rows(of: kind)
        for state in Table.State.allCases {
            for event in Self.events {
                let listed = rows.filter { $0.0 == state && $0.1 == event }
                #expect(listed.count <= 1, "\(state) lists \(event) twice")
                let expected =
                    listed.first.map { Transition($0.2, $0.3) }
                    ?? Transition(
                        state,
                        [
                            .complain(
                                Self.commands.contains(event) ? .unexpectedCommand : .invalidState)
                        ])
                #expect(Table.next(state, event, of: kind) == expected, "\(state), \(event)")
            }
        }
    }

    @Test(arguments: [WorkflowKind.authentication, .transaction])
    func `no answer leaves without a decision of the user`(kind: WorkflowKind) {
        for state in Table.State.allCases {
            for event in Self.events {
                let effects = Table.next(state, event, of: kind).effects
                if effects.contains(.emitAnswer(approved: true)) {
                    #expect([.deciding, .authenticating].contains(state))
                    #expect([.approved(.none), .secretGiven].contains(event))
                }
                if effects.contains(.emitAnswer(approved: false)) {
                    #expect(
                        [.deciding, .denying].contains(state) && event == .rejected
                            || state == .fetching(standing: false))
                }
            }
        }
    }

    @Test(arguments: [WorkflowKind.authentication, .transaction])
    func `an answer is stored before it is emitted`(kind: WorkflowKind) {
        for state in Table.State.allCases {
            for event in Self.events {
                let effects = Table.next(state, event, of: kind).effects
                for approved in [false, true] {
                    guard let sent = effects.firstIndex(of: .emitAnswer(approved: approved))
                    else { continue }
                    #expect(effects.firstIndex(of: .storeAnswer).map { $0 < sent } == true)
                }
            }
        }
    }

    @Test func `what is on its way ends by the server's word, not by time or the app`() {
        for state in Self.answering {
            for event in [.timeEnd, .rejected, .approved(.none), .relayFailure, .processDeath]
                as [Table.Event]
            {
                #expect(Table.next(state, event, of: .authentication).state == state)
            }
            #expect(
                Table.next(state, .cancel, of: .authentication)
                    == Transition(state, [.complain(.invalidState)]))
        }
    }
}

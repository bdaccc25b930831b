import PushCore

/// Reads pushes, those that come and those that the system has shown, and leaves verified words of them.
struct PushReader: Sendable {
    private let authenticator: PushAuthenticator
    private let board: any NotificationBoard
    private let policy: NotificationPolicy
    private let shown: ShownChallenges
    private let kept: KeptPushes

    /// How long the app works on a push that it was woken for: the system gives it 30 seconds.
    private static let patience = Duration.seconds(25)

    init(
        _ authenticator: PushAuthenticator, on board: any NotificationBoard,
        by policy: NotificationPolicy, _ shown: ShownChallenges
    ) {
        self.authenticator = authenticator
        self.board = board
        self.policy = policy
        self.shown = shown
        kept = KeptPushes(on: board, by: policy, random: authenticator.environment.random)
    }

    /// Where the user sees what a push is about.
    enum Place {
        case notification, serviceExtension, screen
        /// In a notification that is there already.
        case board
    }

    struct Taken: Sendable {
        var kind: PushFlow.PushResult
        var opened: Challenge.ID?
        /// What waits for an answer.
        var open: [Challenge.ID] = []
    }

    private enum Reading: Sendable { case read(Receipt), refused, later }

    /// Receives a push, and shows what is new in it.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - place: Where it is shown.
    /// - Returns: What became of it.
    func take(_ message: PushMessage, shownBy place: Place = .notification) async -> Taken {
        guard place != .notification else { return await takeNow(message, shownBy: place) }
        await shown.beginElsewhere()
        let taken = await takeNow(message, shownBy: place)
        await shown.endElsewhere()
        return taken
    }

    private func takeNow(_ message: PushMessage, shownBy place: Place) async -> Taken {
        let receipt: Receipt
        switch await readInTime(message) {
        case .read(let read): receipt = read
        case .refused: return Taken(kind: .refused)
        case .later:
            if place == .notification || place == .screen {
                await kept.keep(message, quietly: place == .screen)
            }
            return Taken(kind: .kept)
        }
        switch place {
        case .notification: break
        case .screen: await shown.note(receipt.only)
        case .serviceExtension:
            await shown.note(receipt.newest)
            await shown.leave([receipt.newest].compactMap(\.self))
        case .board: await shown.leave(receipt.open)
        }
        for reception in receipt {
            await shown.show(.received(reception), isHere: true, hasRung: place == .board)
        }
        let kind: PushFlow.PushResult =
            switch receipt {
            case .notOurs: .notOurs
            case .nothingNew: .nothingNew
            case .new: .new
            }
        return Taken(kind: kind, opened: receipt.only, open: receipt.open)
    }

    /// Reads a push, for as long as the system lets the app.
    private func readInTime(_ message: PushMessage) async -> Reading {
        await withTaskGroup(of: Reading.self) { group in
            group.addTask { await read(message) }
            group.addTask {
                await authenticator.environment.clock.sleep(for: Self.patience)
                return .later
            }
            defer { group.cancelAll() }
            return await group.next() ?? .later
        }
    }

    private func read(_ message: PushMessage) async -> Reading {
        let question: Task<Result<Receipt, PushError>, Never>
        do throws(PushError) {
            let accepted = try await authenticator.accept(message)
            guard let asked = accepted.question else { return .read(accepted.receipt) }
            question = asked
        } catch {
            return error.isOfPush || error.endsQuestion ? .refused : .later
        }
        do throws(PushError) {
            return .read(try await question.valueWhileWanted().get())
        } catch {
            // A gateway's reply that can't be trusted or read says nothing of the push.
            return error.endsQuestion ? .refused : .later
        }
    }

    /// Reads the pushes that are shown, puts verified words in their place, and takes away what is over.
    func readDelivered() async {
        let posted = await board.posted()
        let again = await kept.takeUnshown()
        // A vendor that doesn't answer keeps none of the others waiting.
        await withTaskGroup(of: Void.self) { group in
            for message in again { group.addTask { _ = await take(message) } }
            for notification in posted {
                guard let message = notification.message, authenticator.knows(message) else {
                    continue
                }
                group.addTask {
                    let taken = await take(message, shownBy: .board)
                    await put(taken, of: message, inPlaceOf: notification)
                }
            }
        }
        guard let own = try? await authenticator.own(among: posted) else { return }
        for challenge in Set(own.compactMap(\.challenge)) {
            try? await authenticator.present(challenge, on: board, by: policy.quiet)
        }
        // App and extension may have shown the same at the same moment.
        for (_, same) in Dictionary(grouping: own, by: \.challenge) where same.count > 1 {
            let locals = same.filter { !$0.isPush && $0.challenge != nil }.map(\.identifier)
            if locals.count < same.count, !locals.isEmpty { await board.remove(locals) }
        }
    }

    /// The system shows a push by itself, with its sender's words: verified words take its place.
    func putInPlace(of message: PushMessage, _ taken: Taken) async {
        let same = await board.posted().filter {
            $0.isPush && $0.message?.content == message.content
        }
        for notification in same { await put(taken, of: message, inPlaceOf: notification) }
        // The user may allow no notifications.
        if same.isEmpty, taken.kind == .kept { await kept.keep(message, quietly: true) }
    }

    /// Takes a push's notification away, and leaves another with verified words, or with the app's.
    private func put(
        _ taken: Taken, of message: PushMessage, inPlaceOf notification: PostedNotification
    ) async {
        if taken.kind == .kept {
            // A push's words may be its sender's, whatever category it has.
            guard notification.isPush, await kept.keep(message, quietly: true) else { return }
        }
        await board.remove([notification.identifier])
        for open in taken.open {
            try? await authenticator.present(open, on: board, by: policy.quiet)
        }
    }
}

extension PushError {
    /// Whether a push that meets this error can't be trusted or understood.
    fileprivate var isOfPush: Bool {
        switch code {
        case .untrusted, .malformed: true
        default: false
        }
    }

    /// Whether no later question could bring what a push announced.
    fileprivate var endsQuestion: Bool {
        switch code {
        case .unknownEnrollment, .movedAway, .unsupported, .blocked, .over: true
        default: false
        }
    }
}

public import PushCore

/// What a phone's app does with pushes, apart from the system's calls: from a push to a notification to
/// the user's answer, so that no login is lost, none is shown twice, and nobody else's words are shown.
///
/// Each callback of the system has a method here, and each returns what the callback wants. On Apple's
/// systems `PushAppAdapter` calls them; the extension's half is ``NotificationServiceFlow``.
public actor PushFlow {
    /// Whose pushes, challenges and answers these are.
    public nonisolated let authenticator: PushAuthenticator

    private let board: any NotificationBoard
    private let policy: NotificationPolicy
    private let hasServiceExtension: Bool

    private var presenting: Task<Void, Never>?
    private var catchingUp: Task<[Enrollment.ID: PushError], Never>?
    private var elsewhere = ShownElsewhere()
    private let kept: KeptPushes

    /// How long the app works on a push that it was woken for: the system gives it 30 seconds.
    private static let patience = Duration.seconds(25)

    /// Creates a flow.
    ///
    /// - Parameters:
    ///   - authenticator: The app's authenticator.
    ///   - board: Where the app's notifications are.
    ///   - policy: How challenges become notifications; the extension should have the same.
    ///   - hasServiceExtension: Whether the app has a notification service extension. The system then
    ///     shows what that makes of a push, so the app shows nothing of its own for such a push.
    public init(
        _ authenticator: PushAuthenticator, on board: any NotificationBoard,
        by policy: NotificationPolicy = NotificationPolicy(), hasServiceExtension: Bool
    ) {
        self.authenticator = authenticator
        self.board = board
        self.policy = policy
        self.hasServiceExtension = hasServiceExtension
        kept = KeptPushes(on: board, by: policy, random: authenticator.random)
    }

    deinit { presenting?.cancel() }

    // MARK: The app's life

    /// Begins to show what comes, for as long as the flow lives, and catches up. Call it at the start,
    /// in the background as well.
    ///
    /// - Returns: What ``catchUp()`` returns.
    @discardableResult
    public func start() async -> [Enrollment.ID: PushError] {
        if presenting == nil {
            let updates = await authenticator.updates()
            presenting = Task { [weak self] in
                for await update in updates { await self?.present(update) }
            }
        }
        return await catchUp()
    }

    /// Finishes what was interrupted, reads the pushes that the system showed while the app was away,
    /// and asks the vendors that have a list what waits.
    ///
    /// Call it when the app comes to the foreground, when the device's protected data becomes
    /// available, and in a background refresh. A call while it works does nothing twice.
    ///
    /// - Returns: The enrollments whose vendors couldn't be asked, and why. Nothing is lost by that.
    @discardableResult
    public func catchUp() async -> [Enrollment.ID: PushError] {
        if let catchingUp { return await catchingUp.value }
        let work = Task {
            // A vendor that doesn't answer keeps none of the others waiting.
            async let resumed = try? authenticator.resume()
            async let read: Void = readDelivered()
            async let listed = try? authenticator.pending()
            _ = await (resumed, read)
            return await listed?.failures ?? [:]
        }
        catchingUp = work
        defer { catchingUp = nil }
        return await work.value
    }

    /// Lets the polling of the authenticator go on, if the app runs it, and catches up.
    public func enterForeground() async {
        await authenticator.setPollingPaused(false)
        await catchUp()
    }

    /// Stops the polling of the authenticator.
    public func enterBackground() async { await authenticator.setPollingPaused(true) }

    /// Tells every vendor the newest token of a push service.
    ///
    /// - Returns: The enrollments that couldn't be told yet, and why; they are told later.
    /// - Throws: `PushError` with the code `invalidArgument` if it isn't a token at all, `storage` if it
    ///   couldn't be remembered: give it again then.
    @discardableResult
    public func register(
        _ token: DeviceToken
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        try await authenticator.deviceTokenChanged(token)
    }

    // MARK: Pushes

    /// Takes a push that the system hands to the app, in the background or in the foreground.
    ///
    /// It returns within the time that the system gives, and after what is new has been shown.
    public nonisolated func receive(_ userInfo: [AnyHashable: Any]) async -> PushResult {
        guard let message = try? PushMessage(userInfo: userInfo) else { return .notOurs }
        return await receive(message)
    }

    /// Takes a push that came another way, such as Firebase's.
    public func receive(_ message: PushMessage) async -> PushResult {
        guard authenticator.knows(message) else { return .notOurs }
        let leavesShowing = hasServiceExtension && message.runsServiceExtension
        let result = await take(message, shownBy: leavesShowing ? .serviceExtension : .notification)
        // What the system showed by itself has the sender's words.
        if message.hasVisibleText, !leavesShowing { await readDelivered() }
        return result.kind
    }

    /// Judges a notification that comes while the app is in the foreground, and takes the push if it is
    /// one. What the app posts comes here as well, and is shown.
    public func willPresent(_ notification: PostedNotification) async -> Presentation {
        if await isOwn(notification) {
            return notification.challenge != nil || notification.category == .unread
                ? .show : .notOurs
        }
        guard let message = notification.message, authenticator.knows(message) else {
            return notification.claimsToBeOwn ? .hide : .notOurs
        }
        // The system waits for the word, not for the vendor.
        Task { await take(message) }
        return .hide
    }

    // MARK: Taps

    /// Follows a tap on a notification, or on one of its buttons.
    ///
    /// It returns once the answer has been sent, so tell the system only then that the app is done. A
    /// push that the system showed by itself is read first.
    public func follow(
        _ action: LocalNotification.Action, on notification: PostedNotification
    ) async -> TapResult {
        let isOwn = await isOwn(notification)
        if let message = notification.message, authenticator.knows(message) {
            let result = await take(message, shownBy: .screen)
            return result.open.map { .open($0) } ?? .list
        }
        guard isOwn || notification.claimsToBeOwn,
            let response = NotificationResponse(notification, action: action)
        else { return notification.category == .unread ? .list : .notOurs }
        guard action == .deny else { return .open(response.challenge) }
        do throws(PushError) {
            return .denied(response.challenge, try await authenticator.deny(by: response))
        } catch {
            // The system has taken the notification away, and the challenge still waits.
            try? await authenticator.presentQuietly(response.challenge, on: board, by: policy)
            return error.code == .untrusted
                ? .open(response.challenge) : .notDenied(response.challenge, error)
        }
    }
}

// MARK: What is shown

extension PushFlow {
    /// Where the user sees what a push is about.
    private enum Place { case notification, serviceExtension, screen }

    private struct Taken {
        var kind: PushResult
        /// What waits for an answer.
        var open: Challenge.ID?
    }

    /// Receives a push, and shows what is new in it.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - place: Where it is shown.
    ///   - isKept: Whether it is in a notification already, so that it needn't be kept in another.
    /// - Returns: What became of it.
    private func take(
        _ message: PushMessage, shownBy place: Place = .notification, isKept: Bool = false
    ) async -> Taken {
        if place != .notification { elsewhere.begin() }
        let result = await received(message)
        if place != .notification {
            let challenges = (try? result.get())?.compactMap(\.challenge) ?? []
            for update in elsewhere.end(challenges) { await present(update) }
        }
        switch result {
        case .success(let receipt):
            for reception in receipt { await present(.received(reception)) }
            let open = receipt.filter { if case .notice = $0.kind { true } else { false } }
            let first = open.first(where: \.isNew) ?? open.first
            switch receipt {
            case .notOurs: return Taken(kind: .notOurs)
            case .nothingNew: return Taken(kind: .nothingNew, open: first?.challenge)
            case .new: return Taken(kind: .new, open: first?.challenge)
            }
        case .failure(let error) where error.isRefusal:
            return Taken(kind: .refused)
        case .failure:
            if !isKept, place != .serviceExtension { await kept.keep(message) }
            return Taken(kind: .kept)
        }
    }

    /// Receives a push, for as long as the system lets the app.
    private nonisolated func received(_ message: PushMessage) async -> Result<Receipt, PushError> {
        await withTaskGroup(of: Result<Receipt, PushError>?.self) { group in
            group.addTask {
                await Result { () async throws(PushError) in
                    try await self.authenticator.receive(message)
                }
            }
            group.addTask {
                await self.authenticator.clock.sleep(for: Self.patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .failure(PushError(.cancelled, "The system's time is over."))
        }
    }

    private func present(_ update: AuthenticatorUpdate) async {
        guard !elsewhere.has(update) else { return }
        // A notification that isn't shown is no reason to end: the app's own list has it, too.
        try? await authenticator.present(update, on: board, by: policy)
    }

    private func isOwn(_ notification: PostedNotification) async -> Bool {
        (try? await authenticator.own(among: [notification]))?.isEmpty == false
    }

    /// Reads the pushes that are shown, puts verified words in their place, and takes away what is over.
    private func readDelivered() async {
        let posted = await board.posted()
        let again = await kept.takeUnshown()
        // A vendor that doesn't answer keeps none of the others waiting.
        await withTaskGroup(of: Void.self) { group in
            for message in again { group.addTask { _ = await self.take(message) } }
            for notification in posted {
                guard let message = notification.message, authenticator.knows(message) else {
                    continue
                }
                group.addTask { await self.read(message, in: notification) }
            }
        }
        guard let own = try? await authenticator.own(among: posted) else { return }
        for challenge in Set(own.compactMap(\.challenge)) {
            try? await authenticator.presentQuietly(challenge, on: board, by: policy)
        }
        // App and extension may have shown the same at the same moment.
        for (_, same) in Dictionary(grouping: own, by: \.challenge) where same.count > 1 {
            let locals = same.filter { !$0.isPush && $0.challenge != nil }.map(\.identifier)
            if locals.count < same.count, !locals.isEmpty { await board.remove(locals) }
        }
    }

    private func read(_ message: PushMessage, in notification: PostedNotification) async {
        let taken = await take(message, isKept: true)
        if taken.kind == .kept {
            // A push's words may be its sender's, whatever category it has.
            guard notification.isPush, await kept.keep(message, quietly: true) else { return }
        }
        await board.remove([notification.identifier])
        if let open = taken.open {
            try? await authenticator.presentQuietly(open, on: board, by: policy)
        }
    }
}

extension PushError {
    /// Whether a push that meets this error says nothing that a later look could bring.
    fileprivate var isRefusal: Bool {
        switch code {
        case .untrusted, .malformed, .unknownEnrollment, .movedAway, .unsupported,
            .unsupportedRecord, .listRefused, .blocked, .over:
            true
        default: false
        }
    }
}

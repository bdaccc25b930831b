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
    private let shown: ShownChallenges
    private let reader: PushReader

    private typealias Asking = Task<Result<[Enrollment.ID: PushError], PushError>, Never>

    private var presenting: Task<Void, Never>?
    private var asking: (since: Duration, vendors: Asking)?
    private var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastWatcher = 0

    /// Those that couldn't be remembered, as the store was locked.
    private var unregistered: [DeviceToken] = []

    /// How long the questions to the vendors serve other callers as well: the system tells of one event by
    /// several callbacks.
    private static let sharing = Duration.seconds(5)

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
        shown = ShownChallenges(authenticator, on: board, by: policy)
        reader = PushReader(authenticator, on: board, by: policy, shown)
    }

    deinit {
        presenting?.cancel()
        for watcher in watchers.values { watcher.finish() }
    }

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

    private func present(_ update: AuthenticatorUpdate) async {
        await shown.show(update)
        changed()
    }

    /// Finishes what was interrupted, reads the pushes that the system showed while the app was away,
    /// asks the vendors that have a list what waits, and shows what waits and isn't shown.
    ///
    /// Call it when the app comes to the foreground, when the device's protected data becomes
    /// available, and in a background refresh. If the caller's task is cancelled, it returns at once, and
    /// what it began goes on for as long as the process runs.
    ///
    /// - Returns: The enrollments whose vendors couldn't be asked, and why. Nothing is lost by that.
    @discardableResult
    public func catchUp() async -> [Enrollment.ID: PushError] {
        // A vendor that doesn't answer keeps no push from being read.
        let vendors = askVendors()
        for token in unregistered { _ = try? await register(token) }
        await reader.readDelivered()
        let failures = (try? await vendors.valueWhileWanted().get()) ?? [:]
        for record in (try? await authenticator.records()) ?? [] where record.state == .open {
            await shown.showQuietly(record.id)
        }
        changed()
        return failures
    }

    /// Asks all, or joins those who began to a moment ago.
    private func askVendors() -> Asking {
        let now = authenticator.environment.clock.elapsed
        if let asking, now - asking.since < Self.sharing { return asking.vendors }
        let vendors = Asking { [authenticator, weak self] in
            async let resumed = try? authenticator.resume()
            async let listed = try? authenticator.pending()
            _ = await resumed
            let failures = await listed?.failures ?? [:]
            await self?.endAsking(since: now)
            return .success(failures)
        }
        asking = (now, vendors)
        return vendors
    }

    private func endAsking(since start: Duration) {
        if asking?.since == start { asking = nil }
    }

    /// Yields at once, and whenever what waits may have changed: the time to read the app's lists again. It
    /// ends with the flow, or with its reader's task.
    public func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        lastWatcher += 1
        let watcher = lastWatcher
        watchers[watcher] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.forget(watcher) } }
        continuation.yield()
        return stream
    }

    private func forget(_ watcher: Int) { watchers[watcher] = nil }

    private func changed() {
        for watcher in watchers.values { watcher.yield() }
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
    ///   couldn't be remembered: ``catchUp()`` tries again.
    @discardableResult
    public func register(
        _ token: DeviceToken
    ) async throws(PushError) -> [Enrollment.ID: PushError] {
        unregistered.removeAll { $0.service == token.service }
        do throws(PushError) {
            return try await authenticator.deviceTokenChanged(token)
        } catch {
            let isReplaced = unregistered.contains { $0.service == token.service }
            if error.code == .storage, !isReplaced { unregistered.append(token) }
            throw error
        }
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
        let place: PushReader.Place =
            switch (message.hasVisibleText, hasServiceExtension && message.runsServiceExtension) {
            case (false, _): .notification
            case (true, true): .serviceExtension
            case (true, false): .board
            }
        let taken = await take(message, shownBy: place)
        if place == .board { await reader.putInPlace(of: message, taken) }
        return taken.kind
    }

    /// Judges a notification that comes while the app is in the foreground, and begins to read it if it
    /// is a push. What the app posts comes here as well, and is shown.
    public func willPresent(_ notification: PostedNotification) async -> Presentation {
        if await isOwn(notification) {
            guard notification.challenge != nil || notification.category == .unread else {
                return .notOurs
            }
            changed()
            return .show
        }
        guard let message = notification.message, authenticator.knows(message) else {
            return notification.claimsToBeOwn ? .hide : .notOurs
        }
        return .read(
            Task {
                let taken = await take(message, shownBy: .notification)
                // The extension, if there is one, has failed; and the system shows no push in the
                // foreground, whatever the other callback has taken for shown.
                for id in taken.open { await shown.showLeft(id) }
            })
    }

    // MARK: Taps

    /// Follows a tap on a notification, or on one of its buttons.
    ///
    /// It returns once the answer has been sent, so tell the system only then that the app is done. A
    /// push that the system showed by itself is read first. A denial that didn't reach its end is told by
    /// a notification: the app needn't be on the screen.
    public func follow(
        _ action: LocalNotification.Action, on notification: PostedNotification
    ) async -> TapResult {
        let isOwn = await isOwn(notification)
        if let message = notification.message, authenticator.knows(message) {
            // A button opens no screen.
            let taken = await take(message, shownBy: action == .open ? .screen : .notification)
            return taken.opened.map { .open($0) } ?? .list
        }
        guard isOwn || notification.claimsToBeOwn,
            let response = NotificationResponse(notification, action: action)
        else { return notification.category == .unread ? .list : .notOurs }
        guard action == .deny else {
            let isQuestion = [.question, .unanswerable].contains(notification.category)
            guard isQuestion else { return .list }
            await shown.note(response.challenge)
            return .open(response.challenge)
        }
        defer { changed() }
        do throws(PushError) {
            let outcome = try await authenticator.deny(by: response)
            try? await authenticator.present(
                denied: response.challenge, with: outcome, on: board, by: policy)
            return .denied(response.challenge, outcome)
        } catch {
            // The system has taken the notification away, and the challenge still waits.
            try? await authenticator.present(response.challenge, on: board, by: policy)
            return error.code == .untrusted
                ? .open(response.challenge) : .notDenied(response.challenge, error)
        }
    }

    private func take(_ message: PushMessage, shownBy place: PushReader.Place) async
        -> PushReader.Taken
    {
        defer { changed() }
        return await reader.take(message, shownBy: place)
    }

    private func isOwn(_ notification: PostedNotification) async -> Bool {
        (try? await authenticator.own(among: [notification]))?.isEmpty == false
    }
}

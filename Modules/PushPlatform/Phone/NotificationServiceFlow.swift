public import PushCore

/// What a notification service extension does with one push: it shows verified words, or the app's own
/// words, and it answers in time.
///
/// The text that came with the push is its sender's. It is shown only where no linked plugin knows the
/// push. On Apple's systems `PushNotificationService` calls this.
public final class NotificationServiceFlow: Sendable {
    /// What to show for a push.
    @nonexhaustive
    public enum Content: Sendable {
        /// The push as it came: it's the app's own.
        case original
        /// This notification, and nothing of the push.
        case replaced(LocalNotification)
        /// This notification's words, and the push's own `userInfo` in it: the app reads the push when
        /// it comes to the foreground.
        case unread(LocalNotification)
    }

    /// Takes the content; it's called once, from any thread.
    public typealias Delivery = @Sendable (Content) -> Void

    private struct State: Sendable {
        var deliver: Delivery?
        var work: Task<Void, Never>?
    }

    private let board: any NotificationBoard
    /// The system shows something in any case, so what is held back is shown without a sound.
    private let policy: NotificationPolicy
    private let state: Locked<State>

    /// Creates a flow for one push.
    ///
    /// - Parameters:
    ///   - board: Where the app's notifications are.
    ///   - policy: How challenges become notifications; the same as the app's.
    ///   - deliver: Takes the content. It's called once, whatever the network does, if
    ///     ``timeWillExpire()`` is called when the system's time is nearly over.
    public init(
        on board: any NotificationBoard, by policy: NotificationPolicy = NotificationPolicy(),
        deliver: @escaping Delivery
    ) {
        self.board = board
        var policy = policy
        policy.showsHeldBack = true
        self.policy = policy
        state = Locked(State(deliver: deliver))
    }

    /// Begins with the push.
    ///
    /// - Parameters:
    ///   - push: The push.
    ///   - authenticator: Makes the extension's authenticator, over the store that it shares with the
    ///     app. If it fails, the app's own words are shown.
    public func receive(
        _ push: PostedNotification,
        with authenticator: @escaping @Sendable () throws -> PushAuthenticator
    ) {
        let work = Task {
            if let authenticator = try? authenticator() {
                deliver(await content(for: push, authenticator))
            } else {
                deliver(.unread(unread))
            }
        }
        state.withLock { $0.work = work }
    }

    /// The system's time is nearly over: delivers the app's own words, before it returns, unless
    /// something was delivered already. The push stays in the notification.
    public func timeWillExpire() {
        deliver(.unread(unread))
        state.withLock { $0.work }?.cancel()
    }

    private func deliver(_ content: Content) {
        let deliver = state.withLock { state in
            defer { state.deliver = nil }
            return state.deliver
        }
        deliver?(content)
    }

    private var unread: LocalNotification {
        policy.unread("extension")
    }

    private func content(
        for push: PostedNotification, _ authenticator: PushAuthenticator
    ) async -> Content {
        guard let message = push.message, authenticator.knows(message) else {
            // What looks like one of this installation's, and is a push, imitates it.
            return push.claimsToBeOwn ? .unread(unread) : .original
        }
        do throws(PushError) {
            let receipt = try await authenticator.receive(message)
            guard receipt.isOurs else { return .original }
            let first = receipt.first(where: \.isNew) ?? receipt.first
            guard let id = receipt.newest ?? first?.challenge,
                let reception = receipt.first(where: { $0.challenge == id })
            else { return .unread(unread) }
            let content = try await notification(for: reception, about: id, authenticator)
            let shown = ShownChallenges(authenticator, on: board, by: policy)
            await shown.note(id)
            for other in receipt where other.challenge != id {
                await shown.show(.received(other), isHere: true)
            }
            for other in receipt.open { await shown.showQuietly(other) }
            // The system shows this one in any case, so those of before go: one login, one
            // notification.
            let before = try await authenticator.own(among: await board.posted())
                .filter { $0.challenge == id }.map(\.identifier)
            await board.remove(
                (before + [id.notificationIdentifier]).filter { $0 != push.identifier })
            return .replaced(try await authenticator.sealed(content))
        } catch {
            return .unread(unread)
        }
    }

    private func notification(
        for reception: Reception, about id: Challenge.ID, _ authenticator: PushAuthenticator
    ) async throws(PushError) -> LocalNotification {
        var change = try await authenticator.notificationChange(for: id, by: policy)
        if case .unchanged = change { change = policy.change(for: reception) }
        switch change {
        case .show(let notification), .replace(let notification): return notification
        case .remove, .removeAll, .unchanged: return policy.settled(id)
        }
    }
}

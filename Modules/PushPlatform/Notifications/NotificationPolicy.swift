public import PushCore

/// How challenges become notifications. Each value has a sensible default.
public struct NotificationPolicy: Sendable {
    /// What becomes of the notification of a challenge that is over.
    public enum Ending: Hashable, Sendable {
        /// A notification without buttons replaces it and says why the challenge is over, because
        /// vanishing notifications puzzle people. If the vendor calls the end ignorable, or only
        /// the time ran out, it is removed.
        case replace
        /// It is removed.
        case remove
    }

    /// What becomes of the notification of a challenge that is over.
    public var ending = Ending.replace

    /// Whether to show, without a sound, challenges that `BurstPolicy.quiet(_:)` holds back. They
    /// wait in the app's list in any case.
    public var showsHeldBack = false

    /// Whether to show that a message is newer than this version understands, unless the vendor
    /// calls it ignorable.
    public var showsIncompatible = true

    /// Whether questions may interrupt a focus, because a login waits for minutes at most.
    /// Questions of low priority never do.
    public var isTimeSensitive = true

    /// Whether questions make a sound. A notification that replaces a question never does.
    public var playsSound = true

    /// Whether questions are put into the list alone.
    private var isQuiet = false

    /// The words, in the user's language.
    public var wording: any NotificationWording

    /// Creates a policy of default values.
    public init(wording: any NotificationWording = EnglishWording()) {
        self.wording = wording
    }
}

/// What has to change, as far as it follows from what came alone. The ledger may know more:
/// `PushAuthenticator.notificationChange(for:by:)`.
extension NotificationPolicy {
    /// The change to make for a reception.
    ///
    /// - Parameters:
    ///   - reception: The reception.
    ///   - canAnswer: Whether this device can answer the challenge. If not, an ignorable challenge
    ///     is dropped, and any other is shown as unanswerable here. If so, an ignorable challenge
    ///     is shown like any other.
    /// - Returns: The change to make on the board.
    public func change(
        for reception: Reception, canAnswer: Bool = true
    ) -> NotificationChange {
        switch reception.kind {
        case .notice(let notice, let validity):
            let isHeldBack = !reception.isNew && reception.burst != nil
            guard reception.isNew || isHeldBack && showsHeldBack else { return .unchanged }
            return question(
                notice, validity, burst: reception.burst, canAnswer: canAnswer,
                isSilent: isHeldBack)
        case .answered(let notice, _):
            return .remove(notice.id)
        case .over(let withdrawal):
            return change(for: withdrawal)
        case .incompatible(let incompatible):
            return change(for: incompatible, isNew: reception.isNew)
        case .enrollment, .inbox:
            return .unchanged
        }
    }

    /// The change to make for an update.
    ///
    /// - Parameters:
    ///   - update: The update.
    ///   - canAnswer: Whether this device can answer the update's challenge.
    /// - Returns: The change to make on the board.
    public func change(for update: AuthenticatorUpdate, canAnswer: Bool = true)
        -> NotificationChange
    {
        switch update {
        case .received(let reception): change(for: reception, canAnswer: canAnswer)
        case .outcome(let id, let outcome): change(for: outcome, of: id)
        case .removed(let id): .removeAll(id)
        case .enrollment: .unchanged
        }
    }

    /// The question itself; or, where this device can't answer it, that it waits, unless the vendor
    /// allows to drop it.
    private func question(
        _ notice: Notice, _ validity: Validity, burst: Int?, canAnswer: Bool, isSilent: Bool
    ) -> NotificationChange {
        guard canAnswer || !notice.isIgnorable else { return .unchanged }
        let isQuiet = isQuiet || isSilent || validity == .expired
        return .show(
            notification(
                notice.id, canAnswer ? .question : .unanswerable,
                canAnswer
                    ? .challenge(notice, validity, burst: burst) : .unanswerable(notice),
                priority: notice.priority,
                interruption: isQuiet ? .passive : interruption(for: notice.priority),
                playsSound: playsSound && !isQuiet))
    }

    func change(for withdrawal: Withdrawal) -> NotificationChange {
        guard ending == .replace, !withdrawal.isIgnorable, withdrawal.reason != .expired else {
            return .remove(withdrawal.id)
        }
        return .replace(notification(withdrawal.id, .ended, .over(withdrawal)))
    }

    func change(for outcome: Outcome, of id: Challenge.ID) -> NotificationChange {
        switch outcome {
        case .answeredElsewhere:
            return change(for: Withdrawal(id, .elsewhere))
        case .expired:
            return change(for: Withdrawal(id, .expired))
        case .cancelled:
            return change(for: Withdrawal(id, .cancelled))
        case .notTaken(let refusal) where refusal.mayRetry:
            // The user is at it; a second question would ring.
            return .unchanged
        case .notTaken(let refusal):
            guard ending == .replace else { return .remove(id) }
            return .replace(notification(id, .ended, .notTaken(id, refusal)))
        case .verifyAgain:
            return .unchanged
        case .ended:
            return change(for: Withdrawal(id, .unknown))
        case .delivered, .code, .unknown:
            return .remove(id)
        }
    }

    private func change(for incompatible: PushEvent.Incompatible, isNew: Bool) -> NotificationChange
    {
        guard !incompatible.withdraws else {
            return change(
                for: Withdrawal(
                    incompatible.id, .cancelled, isIgnorable: incompatible.isIgnorable))
        }
        guard showsIncompatible, isNew, !incompatible.isIgnorable else { return .unchanged }
        return .show(
            notification(
                incompatible.id, .incompatible, .incompatible(incompatible),
                interruption: .active, playsSound: playsSound))
    }

    /// A low priority is no reason to wait, so even that is shown at once.
    private func interruption(
        for priority: Notice.Priority
    ) -> LocalNotification.Interruption {
        isTimeSensitive && priority != .low ? .timeSensitive : .active
    }

    /// The same for what the user has been told of: it's in the list, and neither rings nor lights
    /// up.
    var quiet: NotificationPolicy {
        var policy = self
        policy.playsSound = false
        policy.isQuiet = true
        return policy
    }

    /// Shows how it ended that the user denied it by the button, unless it went well: the system
    /// has taken the question away, so there's nothing whose place it could take.
    func denied(_ id: Challenge.ID, with outcome: Outcome) -> LocalNotification? {
        guard case .replace(var notification) = change(for: outcome, of: id) else { return nil }
        notification.interruption = .active
        return notification
    }

    /// Shows that a push couldn't be read now, in words that claim nothing. The identifier tells it
    /// from the others.
    func unread(_ identifier: String) -> LocalNotification {
        let words = wording.words(for: .unread)
        return LocalNotification(
            identifier: "\(LocalNotification.Category.unread.rawValue)/\(identifier)",
            challenge: nil, category: .unread, title: words.title, body: words.body,
            priority: .unspecified, interruption: .active, playsSound: playsSound)
    }

    /// The same with the push in it; `nil` if it's too long to be one.
    func unread(_ message: PushMessage, _ identifier: String) -> LocalNotification? {
        guard let kept = KeptMessage(message) else { return nil }
        var notification = unread(identifier)
        notification.message = kept
        return notification
    }

    /// Shows that a challenge needs no answer, where something must be shown.
    func settled(_ id: Challenge.ID) -> LocalNotification {
        notification(id, .ended, .settled)
    }

    private func notification(
        _ id: Challenge.ID, _ category: LocalNotification.Category,
        _ occasion: NotificationOccasion, priority: Notice.Priority = .unspecified,
        interruption: LocalNotification.Interruption = .passive, playsSound: Bool = false
    ) -> LocalNotification {
        let words = wording.words(for: occasion)
        return LocalNotification(
            identifier: id.notificationIdentifier, challenge: id, category: category,
            title: words.title, body: words.body,
            priority: priority, interruption: interruption, playsSound: playsSound)
    }
}

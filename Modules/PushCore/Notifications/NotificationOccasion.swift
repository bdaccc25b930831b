/// What a notification is about, for whoever finds the words.
///
/// It holds no account, no origin and no address: those belong into the app, not onto a locked
/// screen. Texts in it are the vendor's own, proved and made safe to show.
@nonexhaustive
public enum NotificationOccasion: Hashable, Sendable {
    /// A challenge waits for an answer, and whether its time has run out; and how many came within
    /// the window of ``Policies/brake``, if they are too many: warn the user then.
    case challenge(Notice, Validity, burst: Int?)
    /// A challenge waits for an answer that this device can't give: its enrollment is blocked, or
    /// unknown to the vendor.
    case unanswerable(Notice)
    /// A challenge is over.
    case over(Withdrawal)
    /// The vendor said no to the user's answer, for good.
    case notTaken(Challenge.ID, Outcome.Refusal)
    /// A message is newer than this version understands: the app needs an update.
    case incompatible(Incompatible)
}

public import PushCore

/// What comes of each callback.
extension PushFlow {
    /// What became of a push.
    @nonexhaustive
    public enum PushResult: Hashable, Sendable {
        /// No linked plugin knows it: it's the app's own.
        case notOurs
        /// It was read, and says nothing new.
        case nothingNew
        /// It was read, and what is new in it is shown, by the app or by its extension.
        case new
        /// It couldn't be read now. A notification in the app's words keeps it, and it is read by
        /// ``catchUp()``, or when the user taps the notification. Of more than 32 at once the others are
        /// lost, as is one that is longer than a push can be.
        case kept
        /// It can't be trusted. Nothing came of it.
        case refused
    }

    /// What the system shall do with a notification that comes while the app is in the foreground.
    @nonexhaustive
    public enum Presentation: Hashable, Sendable {
        /// Show it: the words are this installation's.
        case show
        /// Don't: it is a push with its sender's words. What it says is shown by a notification of its
        /// own, before the task ends.
        case read(Task<Void, Never>)
        /// Don't: it imitates one of this installation's.
        case hide
        /// It's the app's own.
        case notOurs
    }

    /// What the user's tap leads to.
    @nonexhaustive
    public enum TapResult: Sendable {
        /// Show this challenge.
        case open(Challenge.ID)
        /// It was denied by the button, and this is what the vendor said. If it said no, or nothing, the
        /// user hasn't been told on a screen.
        case denied(Challenge.ID, Outcome)
        /// It couldn't be denied. Show the challenge, and say so.
        case notDenied(Challenge.ID, PushError)
        /// Show what waits: the notification leads to nothing else.
        case list
        /// It's the app's own.
        case notOurs
    }
}

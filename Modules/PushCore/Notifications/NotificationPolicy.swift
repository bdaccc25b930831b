/// How challenges become notifications. Each value has a sensible default.
public struct NotificationPolicy: Sendable {
    /// What becomes of the notification of a challenge that is over.
    public enum Ending: Hashable, Sendable {
        /// It's replaced by one without buttons that says why, as a notification that vanishes
        /// puzzles people. It's removed if the vendor calls the end ignorable, or if only the time
        /// ran out.
        case replace
        /// It's removed.
        case remove
    }

    /// What becomes of the notification of a challenge that is over.
    public var ending = Ending.replace

    /// Whether challenges that the quiet brake holds back (``Brake/quiet(_:)``) are shown, without a
    /// sound; else they wait in the app's list alone.
    public var showsHeldBack = false

    /// Whether the user is told of a message that is newer than this version understands, unless
    /// the vendor calls it ignorable.
    public var showsIncompatible = true

    /// Whether questions may interrupt a focus: a login waits for minutes at most. Those that the
    /// vendor gives a low priority don't.
    public var isTimeSensitive = true

    /// Whether questions make a sound. What replaces one never does.
    public var playsSound = true

    /// The words, in the user's language.
    public var wording: any NotificationWording

    /// Creates a policy of default values; change what should be different.
    public init(wording: any NotificationWording = EnglishWording()) {
        self.wording = wording
    }
}

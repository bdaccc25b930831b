/// A vendor's list of challenges that wait for an answer.
public struct Pending: Sendable {
    /// The listed challenges.
    public var announcements: [Announcement]

    /// Whether the list has every open challenge of the enrollment.
    ///
    /// The core trusts a complete list: it asks the vendor about each open challenge that the list
    /// omits (``Resolver/status(for:of:kept:)``), and closes those that are over. If ``endsUnlisted``
    /// is set, it closes them all. Set this only if the vendor documents the list as complete and
    /// every entry could be read.
    public var isComplete: Bool

    /// The reason to record for open challenges that this list omits. Set it only if the vendor
    /// lists every open challenge. It counts only if ``isComplete`` is set.
    ///
    /// The core then closes, without another question, the challenges that were open here before it
    /// asked. It leaves those that the user has decided, and for 30 seconds those that were pushed
    /// but never listed: a server may push a challenge before it records it.
    public var endsUnlisted: Withdrawal.Reason?

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - announcements: The challenges that wait.
    ///   - isComplete: Whether they are all open challenges of the enrollment.
    ///   - endsUnlisted: The reason to record for open challenges that the list omits.
    public init(
        _ announcements: [Announcement], isComplete: Bool, endsUnlisted: Withdrawal.Reason? = nil
    ) {
        self.announcements = announcements
        self.isComplete = isComplete
        self.endsUnlisted = endsUnlisted
    }
}

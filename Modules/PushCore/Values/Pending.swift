/// What a vendor lists as waiting for an answer.
public struct Pending: Sendable {
    /// The challenges that it lists.
    public var announcements: [Announcement]

    /// Whether that is every open challenge of the enrollment.
    ///
    /// A list that is complete is an authority: the core asks the vendor about each open challenge
    /// that it lacks (``Resolver/status(of:kept:)``), and closes those that the vendor says are over. Say
    /// so only of a list that the vendor documents as whole, and of which no entry was left out
    /// because it couldn't be read.
    public var isComplete: Bool

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - announcements: The challenges that wait.
    ///   - isComplete: Whether those are all of the enrollment's.
    public init(_ announcements: [Announcement], isComplete: Bool) {
        self.announcements = announcements
        self.isComplete = isComplete
    }
}

/// A notice, and what its provider needs to open and answer it in a later process.
///
/// It lives in the ledger; apps see its ``notice``.
public struct Announcement: Sendable {
    /// What may be shown.
    public let notice: Notice

    /// The provider's own, opaque to everyone else and never printed; a ``SecretRecord`` is a good
    /// layout.
    public let context: Secret

    /// Whether its context replaces the one on record while the challenge is open, as it brings what
    /// answering takes now, such as a code that was scanned. What else announces a challenge again
    /// changes nothing.
    public let renewsContext: Bool

    /// Creates an announcement.
    public init(_ notice: Notice, context: Secret, renewsContext: Bool = false) {
        self.notice = notice
        self.context = context
        self.renewsContext = renewsContext
    }
}

/// A notice, and what its provider needs to open and answer it in a later process.
///
/// It lives in the ledger; apps see its ``notice``.
public struct Announcement: Sendable {
    /// What may be shown.
    public let notice: Notice

    /// The provider's own, opaque to everyone else and never printed; a ``SecretRecord`` is a good
    /// layout.
    public let context: Secret

    /// Creates an announcement.
    public init(_ notice: Notice, context: Secret) {
        self.notice = notice
        self.context = context
    }
}

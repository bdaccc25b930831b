import Testing

/// Where section B7 asks for more than the ledger does, so that a test says so when it changes.
enum KnownGap {
    /// A 403, 404, 409 or 410 that opening a process brings is told to the caller, and every time it
    /// is opened again; the ledger's row stays open.
    static let unrecordedEnd: Comment = "The ledger records no end that opening hears of."
}

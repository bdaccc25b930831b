/// A row that is damaged, or has another form than this version reads.
struct UnreadableRow: Sendable {
    let id: Challenge.ID
    let error: PushError
}

extension PushError {
    /// Whether it says that one row can't be read, which mustn't hide any other.
    var isUnreadableRow: Bool { code == .malformed || code == .unsupportedRecord }
}

/// A row of a challenge that was announced, with what a change of it may start from.
struct AnnouncedRow: Sendable {
    let row: LedgerRow
    let announcement: Announcement
    let inHand: RecordInHand<LedgerRow>

    /// `nil` if it wasn't announced.
    init?(_ inHand: RecordInHand<LedgerRow>) {
        guard let row = inHand.content, let announcement = row.announcement else { return nil }
        self.row = row
        self.announcement = announcement
        self.inHand = inHand
    }
}

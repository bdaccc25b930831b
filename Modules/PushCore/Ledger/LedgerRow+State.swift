/// Where a row stands.
extension LedgerRow {
    /// How long a vendor may take from a push until its list has the challenge.
    static let listingTime = Duration.seconds(30)

    /// How far two lists must be apart to end a decision: a node may lag by seconds.
    static let lackingTime = Duration.seconds(5)

    /// Whether it says more than that a message about it came.
    var isKnown: Bool { announcement != nil || withdrawal != nil }

    /// Where the challenge stands. A withdrawal after a decision is remembered, but the vendor's
    /// word on the decision counts.
    var state: ChallengeRecord.State {
        if let decided, let outcome { return .answered(decided.resolution, outcome) }
        if let decided { return .decided(decided.resolution) }
        if let withdrawal { return .over(withdrawal) }
        return .open
    }

    /// Whether it waits for the user, or for the vendor's word.
    var isWaiting: Bool { outcome == nil && (decided != nil || withdrawal == nil) }

    /// Whether a decision waits for its word, under the lease by which it was sent.
    func isBeingSent(_ judged: DecidedAnswer) -> Bool {
        guard outcome == nil, let decided else { return false }
        return decided.isSame(as: judged) && decided.lease == judged.lease
    }

    /// Whether it is answered or over: nothing opens it again.
    var isFinished: Bool { state.isFinished }
}

extension ChallengeRecord {
    /// What a row says; `nil` if its challenge was never announced.
    init?(_ row: LedgerRow) {
        guard let announcement = row.announcement else { return nil }
        self.init(notice: announcement.notice, state: row.state)
    }
}

extension ChallengeRecord.State {
    /// Whether the challenge is answered or over.
    var isFinished: Bool {
        switch self {
        case .open, .decided: false
        case .answered, .over: true
        }
    }
}

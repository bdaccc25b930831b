/// Everything the ledger keeps of one challenge, in one record.
struct LedgerRow: Sendable {
    /// A decision, and what of its answer may be repeated.
    struct Decided: Sendable {
        let resolution: Resolution
        let kept: Answer.Kept
        let bytes: Secret?

        /// The answer, if its bytes were kept.
        var answer: Answer? { bytes.map { Answer($0, kept: kept) } }

        /// Whether both are one decision; bytes that aren't kept don't count.
        func isSame(as other: Decided) -> Bool {
            guard resolution == other.resolution, let bytes, let others = other.bytes else {
                return resolution == other.resolution
            }
            return bytes.isEqualInConstantTime(to: others)
        }
    }

    let id: Challenge.ID

    /// `nil` for a tombstone: the challenge was withdrawn before it was announced.
    var announcement: Announcement?
    var decided: Decided?
    var outcome: Outcome?
    var withdrawal: Withdrawal?

    init(id: Challenge.ID, announcement: Announcement? = nil) {
        self.id = id
        self.announcement = announcement
    }

    /// Where the challenge stands. A withdrawal after a decision is remembered, but the vendor's
    /// word on the decision counts.
    var state: ChallengeRecord.State {
        if let decided, let outcome { return .answered(decided.resolution, outcome) }
        if let decided { return .decided(decided.resolution) }
        if let withdrawal { return .over(withdrawal) }
        return .open
    }
}

extension LedgerRow.Decided {
    /// A decision with as much of its answer as may be kept.
    init(_ resolution: Resolution, _ answer: Answer) {
        self.init(
            resolution: resolution, kept: answer.kept,
            bytes: answer.kept == .decision ? nil : answer.bytes)
    }
}

extension LedgerRow {
    init(reading sealed: Secret) throws(PushError) {
        let record = try SecretRecord(reading: sealed)
        let fields = record.fields
        var secrets = record.secrets.makeIterator()
        id = try fields.required("id") { (json) throws(PushError) in try Challenge.ID(json: json) }
        let notice = try fields.optional("notice") { (json) throws(PushError) in
            try Notice(json: json)
        }
        if let notice {
            guard let context = secrets.next() else { throw Self.damaged }
            announcement = Announcement(notice, context: context)
        }
        let resolution = try fields.optional("resolution") { (json) throws(PushError) in
            try Resolution(json: json)
        }
        if let resolution {
            let kept = try fields.required("kept") { $0.string.flatMap(Answer.Kept.init) }
            decided = Decided(resolution: resolution, kept: kept, bytes: secrets.next())
        }
        outcome = try fields.optional("outcome") { (json) throws(PushError) in
            try Outcome(json: json)
        }
        withdrawal = try fields.optional("withdrawal") { (json) throws(PushError) in
            try Withdrawal(json: json)
        }
    }

    var sealed: Secret {
        var fields: JSON.Object = ["id": id.json]
        fields["notice"] = announcement?.notice.json
        fields["resolution"] = decided?.resolution.json
        fields["kept"] = decided.map { .string($0.kept.rawValue) }
        fields["outcome"] = outcome?.json
        fields["withdrawal"] = withdrawal?.json
        let secrets = [announcement?.context, decided?.bytes].compactMap(\.self)
        return SecretRecord(fields: fields, secrets: secrets).sealed
    }

    private static let damaged = PushError(.malformed, "A ledger row is damaged.")
}

/// What an announcement made of its challenge.
struct Arrival: Sendable {
    /// The row; `nil` if only a trace is left.
    var row: LedgerRow?

    /// What the trace says.
    var verdict: Trace.Verdict?

    /// Whether this device hears of the challenge for the first time.
    var isNew = false

    /// Whether it changed what was known.
    var isRenewed = false

    /// What was known of it before.
    @Boxed var known: Notice?

    /// How many came of late, if it is new and they are too many.
    var burst: Int?

    /// Whether it changed what the user sees.
    var hasOtherWords: Bool { isRenewed && row?.announcement?.notice != known }

    /// The same after rows were closed to make room.
    func displaced(by closed: [LedgerRow]) -> Arrival {
        guard let row, let closed = closed.last(where: { $0.id == row.id }) else { return self }
        return Arrival(row: closed)
    }
}

extension EnrollmentDocument {
    /// What is known of a challenge.
    indirect enum Known: Sendable {
        case row(LedgerRow)
        /// It is over for so long that only a trace is left, or it was only mentioned.
        case trace(Trace)
        case never
    }
}

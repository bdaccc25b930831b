/// What an announcement made of its row.
struct Arrival: Sendable {
    let row: LedgerRow

    /// Whether this device hears of the challenge for the first time.
    let isNew: Bool

    /// Whether it changed what was known.
    let isRenewed: Bool

    /// What was known of it before.
    let known: Notice?

    /// The revisions of what was changed along with it.
    var alongside: [Revision?] = []

    /// Whether it changed what the user sees.
    var hasOtherWords: Bool { isRenewed && row.announcement?.notice != known }
}

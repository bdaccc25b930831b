/// The content of a record, in the form that a change works on.
protocol RecordContent: Sendable {
    /// Reads it from a record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if the record is damaged.
    init(reading sealed: Secret) throws(PushError)

    /// The record's value.
    var sealed: Secret { get }

    /// Whether there is nothing left to do about it.
    var isFinished: Bool { get }
}

extension RecordContent {
    var isFinished: Bool { false }
}

extension Secret: RecordContent {
    init(reading sealed: Secret) {
        self = sealed
    }

    var sealed: Secret { self }
}

/// A record as it was last read or written: what a change may start from, so that it needn't be read
/// again. If it is old, compare-and-set finds out.
struct RecordInHand<Content: RecordContent>: Sendable {
    /// What it holds; `nil` if there is no record.
    let content: Content?

    /// `nil` if there is no record.
    let revision: Revision?

    /// No record, as far as is known.
    static var absent: RecordInHand { RecordInHand(content: nil, revision: nil) }
}

/// What becomes of a record that was looked at.
enum RecordChange<Content: RecordContent> {
    case keep
    case replace(Content)
    case delete
}

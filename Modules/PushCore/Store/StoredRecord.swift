/// One of several records that were read together.
public struct StoredRecord: Sendable {
    /// Which record.
    public let key: RecordKey

    /// Its value and revision; `nil` if there is no record. The error has the code `malformed` if
    /// this record is damaged.
    public let content: Result<(value: Secret, revision: Revision)?, PushError>

    /// Creates a record.
    public init(
        _ key: RecordKey, _ content: Result<(value: Secret, revision: Revision)?, PushError>
    ) {
        self.key = key
        self.content = content
    }
}

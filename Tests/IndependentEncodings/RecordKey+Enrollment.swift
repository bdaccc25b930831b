package import PushCore

extension RecordKey {
    /// Where all that is known of an enrollment is on record.
    package static func enrollment(_ id: Enrollment.ID) -> RecordKey {
        let parts = [id.provider.rawValue, id.name].map(JSON.string)
        return RecordKey("enrollment", JSON.array(parts).text)
    }
}

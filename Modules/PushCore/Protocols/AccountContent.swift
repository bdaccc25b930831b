/// A credential's record, with the provider's half as a value once somebody has asked for it.
struct AccountContent: Sendable {
    var record: CredentialRecord

    /// The record's bytes, as they were read or written.
    let value: Secret

    private var decoded: (any ProviderCredential)?

    /// Reads a record.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it is damaged.
    init(reading value: Secret, of provider: ProviderID) throws(PushError) {
        record = try CredentialRecord(reading: value, of: provider)
        self.value = value
    }

    /// A new record.
    init(_ record: CredentialRecord, _ credential: any ProviderCredential) {
        self.record = record
        value = record.sealed
        decoded = credential
    }

    private init(_ record: CredentialRecord, _ value: Secret, _ decoded: (any ProviderCredential)?)
    {
        self.record = record
        self.value = value
        self.decoded = decoded
    }

    /// The same with the bytes that it is written as now.
    var sealed: AccountContent { AccountContent(record, record.sealed, decoded) }

    /// The public half.
    var enrollment: Enrollment { record.enrollment }

    /// Whether the provider's half has been asked for.
    var isDecoded: Bool { decoded != nil }

    /// The provider's half.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it is damaged.
    mutating func credential<Credential: ProviderCredential>() throws(PushError) -> Credential {
        if let decoded = decoded as? Credential { return decoded }
        let read = try Credential(reading: record.credential.secret)
        decoded = read
        return read
    }

    /// Changes both halves.
    mutating func change<Credential: ProviderCredential, Value>(
        _ body: (inout Credential, inout Enrollment) throws(PushError) -> Value
    ) throws(PushError) -> Value {
        var credential: Credential = try credential()
        let value = try body(&credential, &record.credential.enrollment)
        record.credential.secret = credential.sealed
        decoded = credential
        return value
    }
}

/// The records that this process read or wrote last, so that one that is read again as it was isn't
/// decoded again.
final class AccountHands: Sendable {
    private let contents = Locked(Cache<Enrollment.ID, AccountContent>())

    /// What a record holds.
    ///
    /// - Throws: ``PushError`` with the code `malformed` if it is damaged.
    func content(
        of value: Secret, for id: Enrollment.ID
    ) throws(PushError) -> AccountContent {
        if let known = contents.withLock({ $0[id] }),
            known.value.isEqualInConstantTime(to: value)
        {
            return known
        }
        let content = try AccountContent(reading: value, of: id.provider)
        keep(content, of: id)
        return content
    }

    func keep(_ content: AccountContent, of id: Enrollment.ID) {
        contents.withLock { $0[id] = content }
    }

    /// Keeps a record with what was decoded of it since, if it is the one that is kept.
    func replace(_ content: AccountContent, of id: Enrollment.ID) {
        contents.withLock { contents in
            guard let known = contents[id],
                known.value.isEqualInConstantTime(to: content.value)
            else { return }
            contents[id] = content
        }
    }

    func forget(_ id: Enrollment.ID) {
        contents.withLock { $0[id] = nil }
    }
}

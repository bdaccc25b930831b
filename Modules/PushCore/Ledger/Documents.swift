/// The enrollments' records: how each is found, made, written and deleted.
final class Documents: Sendable {
    static let collection = "enrollment"

    /// How many records are read by one call.
    private static let recordsAtOnce = 32

    let store: any CredentialStore
    let random: any RandomSource
    let exchanges: ExchangeCount
    let sealing: Sealing
    private let heads = KnownHeads()

    init(
        _ store: any CredentialStore, _ random: any RandomSource,
        _ exchanges: ExchangeCount = ExchangeCount(), _ keyGuard: (any KeyGuard)? = nil
    ) {
        sealing = Sealing(keyGuard: keyGuard)
        self.store = store
        self.random = random
        self.exchanges = exchanges
    }

    static func key(_ id: Enrollment.ID) -> RecordKey { RecordKey(collection, id) }

    // MARK: One

    /// An enrollment's document, if there is one. Throws `malformed` if the document is damaged,
    /// `unsupportedRecord` if a later version wrote it.
    func read(_ id: Enrollment.ID) async throws(PushError) -> DocumentInHand? {
        try inHand(id, try await store.read(Self.key(id)))
    }

    /// The same, and another record that is read by the same trip.
    func read(
        _ id: Enrollment.ID, along key: RecordKey?
    ) async throws(PushError) -> (hand: DocumentInHand?, along: StoredRecord?) {
        guard let key else { return (try await read(id), nil) }
        let found = try await store.read(all: [Self.key(id), key])
        return (try inHand(id, try found.first?.content.get()), found.last)
    }

    /// Whether there is a record, damaged or not.
    func exists(_ id: Enrollment.ID) async throws(PushError) -> Bool {
        do throws(PushError) {
            return try await store.read(Self.key(id)) != nil
        } catch  where error.code == .malformed {
            return true
        }
    }

    private func inHand(
        _ id: Enrollment.ID, _ record: (value: Secret, revision: Revision)?
    ) throws(PushError) -> DocumentInHand? {
        guard let (value, revision) = record else { return nil }
        return DocumentInHand(id, try document(value, of: id), revision, in: self)
    }

    func document(
        _ value: Secret, of id: Enrollment.ID
    ) throws(PushError) -> EnrollmentDocument {
        do throws(PushError) {
            let document = try EnrollmentDocument(reading: value) { (sealed) throws(PushError) in
                try heads.head(sealed, of: id)
            }
            guard document.head.enrollment.id == id else {
                throw PushError(.malformed, "An enrollment stands under another's name.")
            }
            return document
        } catch {
            throw error.attributed(to: id.provider)
        }
    }

    /// Makes a record, `conflict` if there is one; what is known of its challenges may come from
    /// another device.
    func create(
        _ head: EnrollmentHead, _ credential: any ProviderCredential,
        after past: PastChallenges? = nil
    ) async throws(PushError) -> DocumentInHand {
        let part = try await sealing.seal(credential)
        var document = try EnrollmentDocument(
            salt: past?.salt ?? random.bytes(16), head, credential)
        document.setGuard(part, credential)
        if let past { document.adopt(past) }
        let id = head.enrollment.id
        let result = await Result { () async throws(PushError) in
            try await store.write(document.sealed, for: Self.key(id), replacing: nil, waits: false)
        }
        await sealing.settle(part, result.error)
        return DocumentInHand(id, document.asRecorded, try result.get(), in: self)
    }

    /// Writes a document that has changed, `conflict` if another process was first.
    func write(
        _ document: EnrollmentDocument, replacing revision: Revision
    ) async throws(PushError) -> Revision? {
        try await store.write(
            document.sealed, for: Self.key(document.head.enrollment.id), replacing: revision,
            waits: document.waits)
    }

    /// Deletes a record, damaged or not. It does nothing if there is none.
    func delete(_ id: Enrollment.ID) async throws(PushError) {
        try await store.delete(Self.key(id))
    }

    // MARK: Many

    /// The names of all enrollments, damaged ones included, or of those in which work may wait.
    func ids(waiting: Bool = false) async throws(PushError) -> [Enrollment.ID] {
        try await store.names(in: Self.collection, waiting: waiting)
            .compactMap(RecordKey.enrollment(named:))
    }

    /// Documents by their names, by few trips, each or why it can't be read; one that is gone is
    /// left out.
    func read(
        all ids: [Enrollment.ID]
    ) async throws(PushError) -> [(id: Enrollment.ID, found: Result<DocumentInHand, PushError>)] {
        var all: [(id: Enrollment.ID, found: Result<DocumentInHand, PushError>)] = []
        for start in stride(from: 0, to: ids.count, by: Self.recordsAtOnce) {
            let part = ids[start...].prefix(Self.recordsAtOnce)
            for (id, record) in zip(part, try await store.read(all: part.map(Self.key))) {
                do throws(PushError) {
                    let found = try inHand(id, try record.content.get())
                    if let found { all.append((id, .success(found))) }
                } catch {
                    all.append((id, .failure(error)))
                }
            }
        }
        return all
    }
}

extension PushError {
    static func unknownEnrollment(of provider: ProviderID) -> PushError {
        PushError(.unknownEnrollment, "There is no such enrollment.", provider: provider)
    }
}

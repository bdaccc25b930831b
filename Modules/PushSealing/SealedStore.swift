public import PushCore
public import PushPlatform

/// A store that seals what another one keeps, for stores whose machines others may read.
///
/// Values and names are sealed with AES-256-GCM under a key that the caller supplies. A value is bound to
/// its record's name and to the tenant, so that nobody can move it. The store behind, such as a server on
/// the network, sees opaque bytes, how many records there are, how long and how often they change.
/// `docs/sealed-store.md` describes the bytes, and what they protect against.
///
/// ```swift
/// let store = try await SealedStore(engine, key: .file("/etc/acme/push.key"), tenant: "acme")
/// ```
///
/// Keep one key for each tenant. Pages have the order of the concealed names, which stays.
public struct SealedStore: CredentialStore {
    let base: any CredentialStore
    let keyring: SealedKeyring
    let tenant: String

    /// Opens a store, or makes one if there is none behind.
    ///
    /// - Parameters:
    ///   - base: The store that keeps the sealed records.
    ///   - key: Where the key comes from, read once.
    ///   - others: Keys that records may be sealed with as well, such as the next one: every process
    ///     must have it before ``rotate(to:)`` is called anywhere.
    ///   - tenant: Whose records these are. It is bound to each.
    /// - Throws: `PushError` with the code `storage` if the store behind can't be used, its key is
    ///   another one, or its header is damaged or of a newer format; `invalidArgument` if a key hasn't
    ///   32 bytes; `storageUnknown` if the store behind can't say whether it was made.
    public init(
        _ base: any CredentialStore, key: KeySource, others: [KeySource] = [], tenant: String
    ) async throws(PushError) {
        let start = ContinuousClock.now
        try await self.init(
            base, key: key, others: others, tenant: tenant, headerAge: .seconds(30),
            clock: { ContinuousClock.now - start })
    }

    init(
        _ base: any CredentialStore, key: KeySource, others: [KeySource] = [], tenant: String,
        headerAge: Duration, clock: @escaping @Sendable () -> Duration
    ) async throws(PushError) {
        var known: [StoreKeys] = []
        for source in [key] + others { known.append(try await source.keys(for: .records)) }
        self.base = base
        self.tenant = tenant
        keyring = SealedKeyring(
            base, known, tenant: tenant, maximumAge: headerAge, clock: clock)
        _ = try await keyring.current()
    }

    /// Whether processes on several machines use the store behind.
    public var isShared: Bool { base.isShared }

    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `malformed` if it isn't what was sealed for this record,
    ///   `storage` if the store can't tell, or hasn't the key.
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        let place = try await place(of: key).place
        return try await open(try await base.read(place), as: key)
    }

    /// Writes a record, if nobody else changed it meanwhile. Whether work waits in it isn't sealed:
    /// who can write the store behind can hide work for a while.
    ///
    /// - Throws: `PushError` with the code `conflict`, `malformed`, `storage` or `storageUnknown`, as
    ///   the protocol says; `invalidArgument` if the store behind takes no value that large.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        let (ring, place) = try await place(of: key)
        let sealed = try value.map { (value) throws(PushError) in
            try SealedRecord.seal(value, for: key, of: tenant, with: ring.current)
        }
        do throws(PushError) {
            return try await base.write(sealed, for: place, replacing: revision, waits: waits)
        } catch  where error.code == .conflict {
            // A damaged record is no conflict: nobody can read its revision.
            let now =
                if let found = error.found { try await open(found, as: key) } else {
                    try await read(key)
                }
            throw error.finding(now)
        }
    }

    /// Takes a damaged record away.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record isn't damaged, `storage` or
    ///   `storageUnknown` as ``write(_:for:replacing:waits:)``.
    public func discard(_ key: RecordKey) async throws(PushError) {
        let place = try await place(of: key).place
        let found: (value: Secret, revision: Revision)?
        do throws(PushError) {
            found = try await base.read(place)
        } catch  where error.code == .malformed {
            return try await base.discard(place)
        }
        guard let found else { return }
        do throws(PushError) {
            _ = try await open(found, as: key)
        } catch  where error.code == .malformed {
            do throws(PushError) {
                try await base.write(nil, for: place, replacing: found.revision)
            } catch  where error.code == .conflict {
                // What the store behind found is sealed.
                throw error.finding(nil)
            }
            return
        }
        throw PushError(.conflict, "The record isn't damaged.")
    }

    /// A part of a collection's names, in the order of the concealed ones. What isn't a name that
    /// this store concealed is left out.
    ///
    /// - Throws: `PushError` with the code `storage` if the store can't tell.
    public func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let ring = try await keyring.current()
        let place = try ring.collection(collection)
        var last = try name.map { (name) throws(PushError) in
            try ring.cursor(name, of: collection)
        }
        while true {
            let page = try await base.names(
                in: place, waiting: waiting, after: last, limit: limit)
            let names = page.names.compactMap { ring.name(in: $0, of: collection) }
            // A page of names that aren't this store's would end the walk of a reader.
            guard !page.isLast, names.isEmpty, let next = page.names.last else {
                return NamePage(names, isLast: page.isLast || page.names.isEmpty)
            }
            last = next
        }
    }

    /// Several records, in the order of the keys; each may be damaged on its own.
    ///
    /// - Throws: `PushError` with the code `storage` if the store can't tell, or hasn't a key.
    public func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        let places = try await keyring.places(of: keys).places
        let found = try await base.read(all: places)
        guard found.count == keys.count else {
            throw PushError(.storage, "The store behind returned another number of records.")
        }
        var records: [StoredRecord] = []
        for (key, record) in zip(keys, found) { records.append(try await open(record, as: key)) }
        return records
    }

    private func place(
        of key: RecordKey
    ) async throws(PushError) -> (ring: SealedKeyring.Ring, place: RecordKey) {
        let (ring, places) = try await keyring.places(of: [key])
        return (ring, places[0])
    }
}

// MARK: Opening

extension SealedStore {
    func open(
        _ found: (value: Secret, revision: Revision)?, as key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        guard let found else { return nil }
        let bytes = found.value.withBytes { Array($0) }
        if let format = SealedRecord.newerFormat(bytes) { throw Self.newer(format) }
        guard let id = SealedRecord.keyID(in: bytes) else { throw Self.damaged("is damaged") }
        let keys = try await keyring.keys(id)
        switch SealedRecord.open(bytes, for: key, of: tenant, with: keys) {
        case .whole(let value): return (value, found.revision)
        case .damaged(let why): throw Self.damaged(why)
        case .newer(let format): throw Self.newer(format)
        }
    }

    private func open(
        _ record: StoredRecord, as key: RecordKey
    ) async throws(PushError) -> StoredRecord {
        do throws(PushError) {
            return StoredRecord(key, .success(try await open(try record.content.get(), as: key)))
        } catch  where error.code == .malformed {
            return StoredRecord(key, .failure(error))
        }
    }

    private static func damaged(_ why: String) -> PushError {
        PushError(
            .malformed,
            "A sealed record \(why). The others stay usable; discard it to free its name.")
    }

    private static func newer(_ format: UInt8) -> PushError {
        PushError(
            .storage,
            "A sealed record has format \(format); this version understands "
                + "\(SealedRecord.format). It wasn't changed.")
    }
}

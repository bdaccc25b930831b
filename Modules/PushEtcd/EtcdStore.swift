public import PushCore

/// A store in etcd 3.4 or newer, for processes on several machines.
///
/// It speaks etcd's JSON gateway over any `Transport`. Reads are linearizable, and a write is at more than
/// half of the members when it returns, so what is read stays true when a machine dies. A write whose reply
/// is lost is repeated, and settled by etcd's history; where that can't be, the error is `storageUnknown`.
/// `docs/etcd-store.md` says what to set up.
///
/// etcd's members read what they keep: put a `SealedStore` before it.
///
/// ```swift
/// let etcd = try EtcdStore(
///     EtcdStore.Configuration(
///         members: ["https://10.0.0.1:2379", "https://10.0.0.2:2379"], tenant: "acme"),
///     transport: CurlTransport(.etcd(certificateAuthorities: .file("/etc/acme/etcd-ca.pem"))))
/// let store = try await SealedStore(etcd, key: .file("/etc/acme/push.key"), tenant: "acme")
/// ```
///
/// Its transport must take replies of 4 MiB and shouldn't be used for anything else.
public struct EtcdStore: WalkableStore {
    private let reader: EtcdReader
    private let writer: EtcdWriter
    private let keys: EtcdKeys
    private let random: any RandomSource

    /// Creates a store; nothing is sent before it is used.
    ///
    /// - Parameters:
    ///   - configuration: Which etcd, and how long to wait.
    ///   - transport: How etcd is reached, one of the store's own.
    /// - Throws: `PushError` with the code `invalidArgument` if there is no member, or one isn't such
    ///   a URL, or the tenant isn't such a name.
    public init(
        _ configuration: Configuration, transport: any Transport
    ) throws(PushError) {
        try self.init(configuration, transport: transport, random: SystemRandom())
    }

    init(
        _ configuration: Configuration, transport: any Transport, random: any RandomSource,
        first: Int? = nil, settlesNaively: Bool = false
    ) throws(PushError) {
        var members: [EtcdMember] = []
        for url in configuration.members { members.append(try EtcdMember(url)) }
        guard !members.isEmpty else {
            throw PushError(.invalidArgument, "An etcd store needs the URL of a member at least.")
        }
        keys = try EtcdKeys(tenant: configuration.tenant)
        let client = EtcdClient(
            transport: transport,
            members: EtcdMembers(
                members, startingAt: first ?? random.index(below: members.count)),
            count: members.count, configuration: configuration, place: keys.place)
        reader = EtcdReader(client: client, keys: keys)
        writer = EtcdWriter(client: client, settlesNaively: settlesNaively)
        self.random = random
    }

    /// All or nothing, and for several machines.
    public var traits: StoreTraits { [.atomic, .shared, .ordered] }

    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `malformed` if something else wrote it, `storage` if etcd
    ///   can't tell; the reason says what to set up.
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try EtcdValue.content(of: try await reader.entry(try keys.bytes(of: key)))
    }

    /// Writes a record, if nobody else changed it meanwhile. More than half of the members have it on
    /// their disks when this returns.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record's revision is another one,
    ///   `malformed` if something else wrote it, `invalidArgument` if the value is larger than etcd
    ///   takes, `storage` if etcd can't be used, and then nothing has changed; `storageUnknown` if a
    ///   reply was lost and etcd can't tell any more what became of the write.
    @discardableResult
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        let change: StoreChange
        switch (value, revision) {
        case (let value?, nil): change = .create(key, value)
        case (let value?, let revision?): change = .replace(key, revision, with: value)
        case (nil, let revision?): change = .delete(key, revision)
        case (nil, nil):
            guard try await read(key) == nil else {
                throw PushError(.conflict, "Another writer was first.")
            }
            return nil
        }
        return try await make([try prepare(change, waits: waits)]).first ?? nil
    }

    /// Takes away a record that something else wrote.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record isn't damaged, `storage` or
    ///   `storageUnknown` as ``write(_:for:replacing:waits:)``.
    public func discard(_ key: RecordKey) async throws(PushError) {
        let name = try keys.bytes(of: key)
        guard let entry = try await reader.entry(name) else { return }
        guard EtcdValue.isDamaged(entry) else {
            throw PushError(.conflict, "The record isn't damaged.")
        }
        let end = try await writer.commit([
            EtcdChange(
                key: name, mark: try keys.mark(of: key), condition: .revision(entry.modified),
                isDeletion: true)
        ])
        if case .refused = end { throw PushError(.conflict, "Another writer was first.") }
    }

    /// A part of a collection's names, at most 1,000. Those of the records in which work waits are
    /// a range of their own, so the others cost nothing.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    public func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let head = try waiting ? keys.markHead(of: collection) : keys.head(of: collection)
        return try await reader.names(in: head, after: name, limit)
    }

    /// Several records as they are at one moment, in the order of the keys; of more than 128 each 128.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    public func read(all keys: [RecordKey]) async throws(PushError) -> [StoredRecord] {
        var names: [[UInt8]] = []
        for key in keys { names.append(try self.keys.bytes(of: key)) }
        return zip(keys, try await reader.entries(names)).map { EtcdValue.record($0, $1) }
    }

    /// A part of a collection, at most 250 records.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    public func page(
        of collection: String, after name: String?, limit: Int
    ) async throws(PushError) -> StorePage {
        let head = try keys.head(of: collection)
        let from = name.map { head + Array($0.utf8) + [0] } ?? head
        return try await reader.page(from: from, to: EtcdKeys.end(of: head), limit)
    }

    /// A part of everything that the tenant has, at most 250 records.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    public func page(after key: RecordKey?, limit: Int) async throws(PushError) -> StorePage {
        let from = try key.map { (key) throws(PushError) in try keys.bytes(of: key) + [0] }
        return try await reader.page(
            from: from ?? Array(keys.place.utf8), to: keys.marks, limit)
    }

    /// Makes several changes, of at most 64 records: all or none. No work waits in what they write.
    ///
    /// - Throws: `PushError` with the code `conflict` and a `StoreRefusal`; `invalidArgument` if there
    ///   are more changes, or two of one record, or they are larger than etcd takes in one request;
    ///   `malformed`, `storage` or `storageUnknown` as ``write(_:for:replacing:waits:)``.
    @discardableResult
    public func commit(_ changes: [StoreChange]) async throws(PushError) -> [Revision?] {
        guard !changes.isEmpty else { return [] }
        guard changes.count <= EtcdRequest.maximumChanges,
            Set(changes.map(\.key)).count == changes.count
        else {
            throw PushError(
                .invalidArgument, "etcd makes up to 64 changes at once, each of another record.")
        }
        var prepared: [EtcdChange] = []
        for change in changes { prepared.append(try prepare(change, waits: false)) }
        return try await make(prepared)
    }

    private func make(_ prepared: [EtcdChange]) async throws(PushError) -> [Revision?] {
        switch try await writer.commit(prepared) {
        case .done(let revision):
            return prepared.map { $0.value == nil ? nil : Revision(revision) }
        case .refused(let index, let entry):
            let found: StoreRefusal.Found
            do throws(PushError) {
                found =
                    try entry.map { (entry) throws(PushError) in
                        StoreRefusal.Found(try EtcdValue.content(of: entry))
                    } ?? .unknown
            } catch {
                throw error.refusing(StoreRefusal(index: index))
            }
            throw PushError(
                .conflict, "Another writer was first.",
                refusal: StoreRefusal(index: index, found: found))
        }
    }

    private func prepare(_ change: StoreChange, waits: Bool) throws(PushError) -> EtcdChange {
        let (key, mark) = (try keys.bytes(of: change.key), try keys.mark(of: change.key))
        return switch change {
        case .create(_, let value):
            EtcdChange(
                key: key, mark: mark, condition: .absent,
                value: EtcdValue.bytes(of: value, random), waits: waits)
        case .replace(_, let revision, let value):
            EtcdChange(
                key: key, mark: mark, condition: .revision(revision.value),
                value: EtcdValue.bytes(of: value, random), waits: waits)
        case .delete(_, let revision):
            EtcdChange(
                key: key, mark: mark, condition: .revision(revision.value), isDeletion: true)
        case .exists:
            EtcdChange(key: key, mark: mark, condition: .present)
        }
    }
}

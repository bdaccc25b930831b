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

    /// Yes.
    public var isShared: Bool { true }

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
        guard value != nil || revision != nil else {
            if let found = try await read(key) { throw Self.overtaken.finding(found) }
            return nil
        }
        let change = EtcdChange(
            key: try keys.bytes(of: key), mark: try keys.mark(of: key),
            replaced: revision?.value ?? 0, value: value.map { EtcdValue.bytes(of: $0, random) },
            waits: waits)
        switch try await writer.write(change) {
        case .done(let revision): return value == nil ? nil : Revision(revision)
        case .refused(let entry):
            throw Self.overtaken.finding(try EtcdValue.content(of: entry))
        }
    }

    private static let overtaken = PushError(.conflict, "Another writer was first.")

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
        let end = try await writer.write(
            EtcdChange(
                key: name, mark: try keys.mark(of: key), replaced: entry.modified, value: nil,
                waits: false))
        if case .refused = end { throw Self.overtaken }
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

    /// A part of everything that the tenant has, at most 250 records.
    ///
    /// - Throws: `PushError` with the code `storage` if etcd can't tell.
    public func page(after key: RecordKey?, limit: Int) async throws(PushError) -> (
        records: [StoredRecord], isLast: Bool
    ) {
        try await reader.page(after: key, limit)
    }
}

public import PushCore

/// A store in a directory of its own, for servers and command lines.
///
/// Values and names are sealed with AES-256-GCM under a key that the caller supplies; a write is on
/// the disk when it returns; any number of processes of one user may share the directory, which must
/// be on a local disk. `docs/file-store.md` describes the files, and what they protect against.
///
/// ```swift
/// let store = try await FileStore(at: "/var/lib/acme/push", key: .file("/etc/acme/push.key"))
/// ```
public struct FileStore: CredentialStore {
    let disk: Disk
    let root: String
    let keyring: Keyring
    let folders = DurableFolders()
    let queues = LockQueues()
    let patience: Duration

    /// The largest value that can be written, in bytes: 64 MiB.
    static let maximumValue = 1 << 26

    /// Opens a store, or makes one if the directory is missing or empty.
    ///
    /// - Parameters:
    ///   - path: The directory. A new one gets mode 0700; one that others may use is refused.
    ///   - key: Where the key comes from, read once.
    ///   - previous: Keys that the store may still be sealed with, such as the one before a
    ///     rotation that was interrupted. ``rotate(to:)`` finishes the rotation.
    /// - Throws: `PushError` with the code `storage` if the directory can't be used, the key isn't
    ///   the store's, its header is missing or damaged, or its format is newer than this version
    ///   understands; `invalidArgument` if a key hasn't 32 bytes. The reason says what to do.
    public init(
        at path: String, key: KeySource, previous: [KeySource] = []
    ) async throws(PushError) {
        try await self.init(at: path, key: key, previous: previous, disk: Disk())
    }

    init(
        at path: String, key: KeySource, previous: [KeySource] = [], disk: Disk,
        patience: Duration = .seconds(10)
    ) async throws(PushError) {
        var known: [StoreKeys] = []
        for source in [key] + previous { known.append(try await source.keys()) }
        let root = try await StoreDirectory.prepare(path, known[0], disk, patience)
        self.disk = disk
        self.root = root
        self.patience = patience
        keyring = try Keyring(known, disk: disk, root: root)
    }

    /// A record and its revision; `nil` if there is none.
    ///
    /// - Throws: `PushError` with the code `malformed` if the record's file is damaged, `storage` if
    ///   the store can't tell.
    @concurrent
    public func read(
        _ key: RecordKey
    ) async throws(PushError) -> (value: Secret, revision: Revision)? {
        try await steadily(in: key.collection) { (ring) throws(PushError) in
            try find(key, in: ring)
        } isAbsent: {
            if case .none = $0 { true } else { false }
        }.content { (damaged) in
            // Only where nobody writes it right now: a later reader does it then.
            try? await setAside(key, damaged)
        }
    }

    /// Writes a record, if nobody else changed it meanwhile. It is durable when this returns.
    /// Whether work waits in it is a bit of its revision.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record's revision is another one,
    ///   `malformed` if its file is damaged, `invalidArgument` if the value is larger than 64 MiB,
    ///   `storage` if it couldn't be written, and then nothing has changed; `storageUnknown` if it
    ///   was, but the system can't say that it lasts.
    @discardableResult
    @concurrent
    public func write(
        _ value: Secret?, for key: RecordKey, replacing revision: Revision?, waits: Bool
    ) async throws(PushError) -> Revision? {
        guard value.map({ $0.count <= Self.maximumValue }) ?? true else {
            throw PushError(.invalidArgument, "The value is larger than 64 MiB.")
        }
        return try await holding(key) { (lock) throws(PushError) in
            let ring = try await settledRing(for: key.collection)
            let places = try ring.places(of: key)
            let found = try find(key, in: ring, at: places)
            if case .damaged(let place, isAside: false) = found { try? setAside(place) }
            let current = try found.content()?.revision
            guard current == revision else {
                throw PushError(.conflict, "Another writer was first.")
            }
            // Under the one key that a settled ring has.
            let place = places[0]
            if let value {
                let file = RecordFile(
                    value: value, revision: Self.newRevision(after: current, waits: waits))
                try await put(try file.sealed(for: key, with: ring.keys), at: place, by: lock.name)
                return file.revision
            }
            if current != nil { try await delete(place) }
            return nil
        }
    }

    /// Takes a damaged record away, into the store's folder `discarded`, and frees its name.
    ///
    /// - Throws: `PushError` with the code `conflict` if the record isn't damaged, `storage` if it
    ///   couldn't be taken away.
    @concurrent
    public func discard(_ key: RecordKey) async throws(PushError) {
        try await holding(key) { (_) throws(PushError) in
            switch try find(key, in: try await settledRing(for: key.collection)) {
            case .none: return
            case .whole: throw PushError(.conflict, "The record isn't damaged.")
            case .damaged(let place, let isAside):
                if !isAside { try setAside(place) }
                try move(place, from: damagedFolder, to: discardedFolder)
            }
        }
    }

    /// A part of a collection's names, or of those of the records in which work waits: of the
    /// others' files no more than the head is read. Each page reads the whole directory.
    ///
    /// A damaged record whose name is longer than 149 bytes may be left out, if its own copy
    /// of the name is damaged as well; reading it by its name still tells.
    ///
    /// - Throws: `PushError` with the code `storage` if the directory can't be read.
    @concurrent
    public func names(
        in collection: String, waiting: Bool, after name: String?, limit: Int
    ) async throws(PushError) -> NamePage {
        let names = try await steadily(in: collection) { (ring) throws(PushError) in
            try list(collection, in: ring, waiting: waiting)
        } isAbsent: {
            _ in
            true
        }
        return NamePage(of: names, after: name, limit: limit)
    }

    /// Any 63-bit number, never 0: a counter would have to outlive the record that it counts for,
    /// or a record made again could have a revision that was used before. The bit before it says
    /// that no work waits in the record.
    private static func newRevision(after current: Revision?, waits: Bool) -> Revision {
        let mark = waits ? 0 : RecordFile.restingMark
        while true {
            let revision = Revision(UInt64.random(in: 1..<RecordFile.restingMark) | mark)
            if revision != current { return revision }
        }
    }
}

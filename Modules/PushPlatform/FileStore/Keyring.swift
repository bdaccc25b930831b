import PushCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Which of the caller's keys the store is sealed with, by its header.
///
/// Another process may rotate the keys at any time. A look at the header's file status before each
/// use is enough to notice, as the header only ever changes by being replaced.
actor Keyring {
    struct Ring: Sendable {
        let stamp: Disk.Stamp
        let keys: StoreKeys
        /// The key of an unfinished rotation.
        let next: StoreKeys?

        /// The names of folders under each of ``all``, as far as they were needed: reckoning one takes as
        /// long as opening a file.
        fileprivate var folders: [RecordKey: [String]] = [:]

        /// The places of records that were needed lately, for the same reason: most are soon needed again.
        private let lately = Locked<[RecordKey: [FileStore.Place]]>([:])

        /// All keys a record may be found under; a rotation moves it from the first to the last.
        var all: [StoreKeys] { [keys] + (next.map { [$0] } ?? []) }

        /// Where a record may be, in the order of ``all``.
        func places(of key: RecordKey) throws(PushError) -> [FileStore.Place] {
            if let known = lately.withLock({ $0[key] }) { return known }
            let folders = folders[Self.folder(of: key.collection)]
            var places: [FileStore.Place] = []
            for (index, keys) in all.enumerated() {
                places.append(try FileStore.Place(key, keys, in: folders?[index]))
            }
            lately.withLock { [places] lately in
                if lately.count >= Keyring.maximumPlaces { lately = [:] }
                lately[key] = places
            }
            return places
        }

        /// Compared by bytes, as collections are.
        fileprivate static func folder(of collection: String) -> RecordKey {
            RecordKey(collection, "")
        }
    }

    /// How many folders' names are known at the most.
    private static let maximumFolders = 64

    /// How many records' places are known at the most.
    private static let maximumPlaces = 256

    private let disk: Disk
    private let root: String
    private var known: [StoreKeys]
    private var ring: Ring

    init(_ known: [StoreKeys], disk: Disk, root: String) throws(PushError) {
        self.disk = disk
        self.root = root
        self.known = known
        ring = try Self.load(known, disk, root)
    }

    static func path(in root: String) -> String { root + "/header" }

    /// The keys, as the header says now.
    ///
    /// - Parameter collection: Whose folder is about to be named.
    /// - Returns: The keys, and the name of that folder.
    /// - Throws: `PushError` with the code `storage` if the header can't be read.
    func current(for collection: String? = nil) throws(PushError) -> Ring {
        let stamp = try disk.stamp(of: Self.path(in: root))
        if stamp != ring.stamp { ring = try Self.load(known, disk, root) }
        if let collection, ring.folders[Ring.folder(of: collection)] == nil {
            try nameFolders(of: collection)
        }
        return ring
    }

    private func nameFolders(of collection: String) throws(PushError) {
        if ring.folders.count >= Self.maximumFolders { ring.folders = [:] }
        var names: [String] = []
        for keys in ring.all { names.append(try FileStore.Place.folder(of: collection, keys)) }
        ring.folders[Ring.folder(of: collection)] = names
    }

    /// Adds a key that the store may be rotated to.
    func learn(_ keys: StoreKeys) {
        if !known.contains(where: { $0.id == keys.id }) { known.append(keys) }
    }

    private static func load(
        _ known: [StoreKeys], _ disk: Disk, _ root: String
    ) throws(PushError) -> Ring {
        let path = path(in: root)
        let stamp = try disk.stamp(of: path)
        guard let stamp, let bytes = try disk.contents(of: path, limit: 1 << 16) else {
            throw PushError(.storage, "The store's header \(path) is missing.")
        }
        let header = try StoreHeader(reading: bytes, at: path)
        func find(_ key: StoreHeader.Key) throws(PushError) -> StoreKeys {
            guard let keys = known.first(where: { $0.id == key.id }) else {
                let given = known.map(\.id).joined(separator: ", ")
                throw PushError(
                    .storage,
                    "The store \(root) is sealed with the key \(key.id), not with the key given, "
                        + "\(given). Open it with that key.")
            }
            guard keys.matches(key.check, among: header.ids) else {
                throw PushError(.storage, "The check value in the header \(path) is damaged.")
            }
            return keys
        }
        return Ring(
            stamp: stamp, keys: try find(header.key),
            next: try header.next.map { (key) throws(PushError) in try find(key) })
    }
}

extension Disk {
    /// Tells whether a file was replaced or changed.
    struct Stamp: Hashable, Sendable {
        private let numbers: [Int64]

        init(_ status: stat) {
            #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
            #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
            #endif
            numbers = [
                Int64(truncatingIfNeeded: status.st_ino), Int64(status.st_size),
                Int64(modified.tv_sec), Int64(modified.tv_nsec), Int64(changed.tv_sec),
                Int64(changed.tv_nsec),
            ]
        }
    }

    /// `nil` if there is no such file.
    func stamp(of path: String) throws(PushError) -> Stamp? {
        try status(of: path).map(Stamp.init)
    }
}

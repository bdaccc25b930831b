import PushCore

extension FileStore {
    /// What is under a name.
    enum Found {
        case none
        case whole(RecordFile)
        case damaged(Place, isAside: Bool)

        /// The record's value and its revision; `nil` if there is none.
        ///
        /// `damage` is called first if the file is damaged and not yet set aside.
        ///
        /// - Throws: `PushError` with the code `malformed` if the file is damaged.
        func content(
            _ damage: (Place) async -> Void
        ) async throws(PushError) -> (value: Secret, revision: Revision)? {
            if case .damaged(let place, isAside: false) = self { await damage(place) }
            return try content()
        }

        func content() throws(PushError) -> (value: Secret, revision: Revision)? {
            switch self {
            case .none: return nil
            case .whole(let file): return (file.value, file.revision)
            case .damaged(let place, _):
                throw PushError(
                    .malformed,
                    "The record in \(place.folder)/\(place.file) is damaged and kept in the "
                        + "store's folder `damaged`. The others stay usable; discard it to free "
                        + "its name.")
            }
        }
    }

    /// Looks into a collection with the keys that the header names, again if they changed before
    /// nothing was found: a rotation renames every file.
    func steadily<Value>(
        in collection: String, _ body: (Keyring.Ring) throws(PushError) -> Value,
        isAbsent: (Value) -> Bool
    ) async throws(PushError) -> Value {
        for _ in 0..<8 {
            let ring = try await keyring.current(for: collection)
            let value = try body(ring)
            if !isAbsent(value) { return value }
            if try disk.stamp(of: Keyring.path(in: root)) == ring.stamp { return value }
        }
        throw PushError(.storage, "The keys of \(root) are being changed all the time.")
    }

    /// The keys; there must be no unfinished rotation, as a record could be under either.
    func settledRing(for collection: String) async throws(PushError) -> Keyring.Ring {
        let ring = try await keyring.current(for: collection)
        if let next = ring.next {
            throw PushError(
                .storage,
                "A rotation of \(root) to the key \(next.id) isn't finished: call rotate(to:) with "
                    + "that key again. Until then records can be read, not written.")
        }
        return ring
    }

    func find(_ key: RecordKey, in ring: Keyring.Ring) throws(PushError) -> Found {
        try find(key, in: ring, at: try ring.places(of: key))
    }

    /// The same where the places that it may be in are known already.
    func find(
        _ key: RecordKey, in ring: Keyring.Ring, at places: [Place]
    ) throws(PushError) -> Found {
        for (keys, place) in zip(ring.all, places) {
            guard let bytes = try disk.contents(of: path(place)) else { continue }
            switch RecordFile.read(bytes, for: key, with: keys) {
            case .whole(let file): return .whole(file)
            case .damaged: return .damaged(place, isAside: false)
            case .newer(let format):
                throw PushError(
                    .storage,
                    "The record in \(path(place)) has format \(format); this version understands "
                        + "\(RecordFile.format). It wasn't changed.")
            }
        }
        for place in places where try disk.status(of: damagedPath(place)) != nil {
            return .damaged(place, isAside: true)
        }
        return .none
    }

    // MARK: Under the record's lock

    func put(_ bytes: [UInt8], at place: Place, by lock: String) async throws(PushError) {
        let folder = try await openFolder(place.folder)
        defer { disk.shut(folder) }
        let temporary = "\(root)/tmp/\(lock)"
        do throws(PushError) {
            try disk.create(temporary, bytes, replacing: true)
            guard try disk.move(temporary, to: path(place)) else {
                throw PushError(.storage, "\(temporary) was taken away.")
            }
        } catch {
            _ = try? disk.remove(temporary)
            throw error
        }
        try settle(folder, place)
    }

    func delete(_ place: Place) async throws(PushError) {
        let folder = try await openFolder(place.folder)
        defer { disk.shut(folder) }
        try disk.remove(path(place))
        try settle(folder, place)
    }

    /// Moves a damaged record's file to where its damage stays known.
    func setAside(_ place: Place) throws(PushError) {
        try move(place, from: root, to: damagedFolder)
    }

    /// The same from a reader, which holds no lock yet: not if anyone else has it, and not if the
    /// record is another one meanwhile.
    @concurrent
    func setAside(_ key: RecordKey, _ place: Place) async throws(PushError) {
        let lock = try await lock(of: key, patience: .zero)
        defer { disk.unlock(lock.file) }
        let ring = try await settledRing(for: key.collection)
        if case .damaged(let place, isAside: false) = try find(key, in: ring) {
            try setAside(place)
        }
    }

    func move(_ place: Place, from source: String, to target: String) throws(PushError) {
        for path in [target, "\(target)/\(place.folder)"] { try makeFolder(path) }
        let old = "\(source)/\(place.folder)"
        let new = "\(target)/\(place.folder)"
        guard try disk.move("\(old)/\(place.file)", to: "\(new)/\(place.file)") else { return }
        for path in [new, old] { try disk.synchronize(directory: path) }
    }

    /// Makes a folder, if it is missing, and makes durable that it is there: a process that has just
    /// made it may not have done so yet.
    func makeFolder(_ path: String) throws(PushError) {
        try disk.makeDirectory(path)
        let end = path.lastIndex(of: "/") ?? path.startIndex
        try disk.synchronize(directory: String(path[..<end]))
    }

    /// Opened before anything changes, so that too many open files can't be a reason later.
    private func openFolder(_ folder: String) async throws(PushError) -> Int32 {
        let path = "\(root)/\(folder)"
        if await folders.contains(folder), let file = try disk.openDirectory(path) { return file }
        try makeFolder(path)
        guard let file = try disk.openDirectory(path) else {
            throw PushError(.storage, "\(path) was taken away.")
        }
        await folders.add(folder)
        return file
    }

    private func settle(_ folder: Int32, _ place: Place) throws(PushError) {
        do throws(PushError) {
            try disk.synchronize(folder, path(place))
        } catch {
            throw PushError(
                .storageUnknown, error.reason + " The record may have changed: read it again.",
                underlying: error.underlying)
        }
    }
}

/// The folders that this process has made durable: once is enough, as a rotation, which takes them
/// away, makes its own durable.
actor DurableFolders {
    private var names: Set<String> = []

    func contains(_ name: String) -> Bool { names.contains(name) }
    func add(_ name: String) { names.insert(name) }
}

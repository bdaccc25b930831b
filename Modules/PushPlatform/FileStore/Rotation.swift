public import PushCore

extension FileStore {
    /// Seals everything with another key.
    ///
    /// Revisions stay. Writers wait meanwhile, and other store values that know only the old key
    /// get an error from then on. If it is interrupted, the store stays readable with both keys,
    /// and a second call finishes it. If the store has the key already, the call does nothing. So a
    /// program may call it at each start:
    ///
    /// ```swift
    /// let store = try await FileStore(at: path, key: .file(new), previous: [.file(old)])
    /// try await store.rotate(to: .file(new))
    /// ```
    ///
    /// - Parameter source: The new key.
    /// - Throws: `PushError` with the code `storage` if it couldn't be finished, if another
    ///   rotation is unfinished, or if the name of a damaged file can't be found out;
    ///   `invalidArgument` if the key hasn't 32 bytes.
    @concurrent
    public func rotate(to source: KeySource) async throws(PushError) {
        let new = try await source.keys()
        var locks: [Lock] = []
        defer { for lock in locks { disk.unlock(lock.file) } }
        // A writer holds one lock at a time, so a rotation, which takes all in order, can't deadlock.
        for name in [Self.storeLock] + Self.lockNames {
            locks.append(try await Self.lock(name, in: root, disk, patience))
        }
        await keyring.learn(new)
        let ring = try await keyring.current()
        if let next = ring.next, next.id != new.id {
            throw PushError(
                .storage,
                "A rotation of \(root) to the key \(next.id) isn't finished: finish it first.")
        }
        guard ring.keys.id != new.id else { return }
        let rotation = Rotation(store: self, old: ring.keys, new: new)
        let folders = try rotation.folders()
        if ring.next == nil {
            try StoreDirectory.write(try StoreHeader(ring.keys, next: new), in: root, disk)
        }
        for folder in folders { try rotation.move(folder) }
        try StoreDirectory.write(try StoreHeader(new), in: root, disk)
    }
}

/// One rotation, under all locks. Each record is sealed with the new key under its new name before
/// the file under its old name goes.
struct Rotation {
    let store: FileStore
    let old: StoreKeys
    let new: StoreKeys

    /// A collection's files under their old names.
    struct Folder {
        let path: String
        let target: String
        let isDamaged: Bool
        let files: [(file: String, key: RecordKey)]
    }

    /// What is to be moved. Whatever can't be told a name stops a rotation before it begins.
    func folders() throws(PushError) -> [Folder] {
        var folders: [Folder] = []
        for base in [store.root, store.damagedFolder] {
            for folder in try store.disk.list(base) ?? []
            where folder.hasPrefix("c.") || folder.hasPrefix(FileStore.Place.long) {
                let path = "\(base)/\(folder)"
                let all = try store.disk.list(path) ?? []
                let files = all.filter {
                    $0.hasPrefix("r.") || $0.hasPrefix(FileStore.Place.long)
                }
                guard let collection = try collection(folder, path, files) else { continue }
                var named: [(String, RecordKey)] = []
                for file in files {
                    guard let key = try store.key(ofFile: file, at: path, in: collection, old)
                    else { throw unnamed("\(path)/\(file)") }
                    named.append((file, key))
                }
                let target = try FileStore.Place.folder(of: collection, new)
                folders.append(
                    Folder(
                        path: path, target: target, isDamaged: base == store.damagedFolder,
                        files: named))
            }
        }
        return folders
    }

    func move(_ folder: Folder) throws(PushError) {
        let target = "\(store.root)/\(folder.target)"
        let aside = "\(store.damagedFolder)/\(folder.target)"
        for path in folder.isDamaged ? [aside] : [target] { try store.makeFolder(path) }
        for (file, key) in folder.files {
            let path = "\(folder.path)/\(file)"
            let name = try FileStore.Place(key, new).file
            let isWhole = folder.isDamaged ? false : try seal(path, key, as: "\(target)/\(name)")
            if !isWhole {
                for path in [store.damagedFolder, aside] { try store.makeFolder(path) }
                _ = try store.disk.move(path, to: "\(aside)/\(name)")
                try store.disk.synchronize(directory: aside)
            }
        }
        try store.disk.synchronize(directory: target)
        for (file, _) in folder.files { try store.disk.remove("\(folder.path)/\(file)") }
        try store.disk.synchronize(directory: folder.path)
        // What else someone put there keeps it.
        _ = try? store.disk.removeDirectory(folder.path)
    }

    /// Whether the record was whole.
    private func seal(
        _ path: String, _ key: RecordKey, as target: String
    ) throws(PushError) -> Bool {
        guard let bytes = try store.disk.contents(of: path) else { return true }
        switch RecordFile.read(bytes, for: key, with: old) {
        case .damaged: return false
        case .newer(let format):
            throw PushError(.storage, "The record in \(path) has the newer format \(format).")
        case .whole(let file):
            let temporary = "\(store.root)/tmp/\(FileStore.storeLock)"
            try store.disk.create(
                temporary, try file.sealed(for: key, with: new), replacing: true)
            guard try store.disk.move(temporary, to: target) else {
                throw PushError(.storage, "\(temporary) was taken away.")
            }
            return true
        }
    }

    /// Whose records a folder holds; `nil` if there are none, or they were moved already.
    private func collection(
        _ folder: String, _ path: String, _ files: [String]
    ) throws(PushError) -> String? {
        if folder.hasPrefix("c.") {
            if let name = try FileStore.Place.collection(ofFolder: folder, old) { return name }
            if try FileStore.Place.collection(ofFolder: folder, new) != nil { return nil }
            throw unnamed(path)
        }
        for file in files {
            guard let bytes = try store.disk.contents(of: "\(path)/\(file)") else { continue }
            for keys in [old, new] {
                guard let name = RecordFile.key(in: bytes, with: keys)?.collection else { continue }
                if try FileStore.Place.folder(of: name, old) == folder { return name }
                if try FileStore.Place.folder(of: name, new) == folder { return nil }
            }
        }
        if files.isEmpty { return nil }
        throw unnamed(path)
    }

    private func unnamed(_ path: String) -> PushError {
        PushError(
            .storage,
            "Whose record \(path) is can't be told: it is damaged, or of another store. Discard it "
                + "by its name, or move it out of the store; then rotate.")
    }
}

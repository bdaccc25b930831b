import PushCore

extension FileStore {
    func list(
        _ collection: String, in ring: Keyring.Ring, unfinishedOnly: Bool = false
    ) throws(PushError) -> [String] {
        var names: [String] = []
        var taken: Set<RecordKey> = []
        for base in [root, damagedFolder] {
            for keys in ring.all {
                let folder = "\(base)/\(try Place.folder(of: collection, keys))"
                for file in try disk.list(folder) ?? [] {
                    // Before its name is opened, which costs more.
                    if unfinishedOnly, base == root, isFinished("\(folder)/\(file)") { continue }
                    guard let key = try key(ofFile: file, at: folder, in: collection, keys),
                        taken.insert(key).inserted
                    else { continue }
                    names.append(key.name)
                }
            }
        }
        return names
    }

    /// Whether a file's head says that its record is finished. One that can't be read doesn't say so:
    /// whoever reads the record is told why.
    private func isFinished(_ path: String) -> Bool {
        (try? disk.head(of: path, RecordFile.headCount)).map(RecordFile.isFinished) ?? false
    }

    /// Which record a file holds, by its name, or by its contents if the name was too long.
    ///
    /// - Returns: `nil` if it is no record of the collection under this key, or gone.
    func key(
        ofFile file: String, at folder: String, in collection: String, _ keys: StoreKeys
    ) throws(PushError) -> RecordKey? {
        if let name = try Place.name(ofFile: file, in: collection, keys) {
            return RecordKey(collection, name)
        }
        guard file.hasPrefix(Place.long), let bytes = try disk.contents(of: "\(folder)/\(file)"),
            let key = RecordFile.key(in: bytes, with: keys),
            try Place(key, keys).file == file,
            key.collection.utf8.elementsEqual(collection.utf8)
        else { return nil }
        return key
    }
}

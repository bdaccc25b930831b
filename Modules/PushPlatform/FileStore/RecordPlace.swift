import PushCore

extension FileStore {
    /// The names of a record's folder and file under one key.
    struct Place: Sendable {
        let folder: String
        let file: String

        /// - Parameters:
        ///   - key: The record.
        ///   - keys: What it is sealed with.
        ///   - folder: The name of the collection's folder under them, if it is known.
        /// - Throws: `PushError` with the code `storage` if a name can't be sealed.
        init(
            _ key: RecordKey, _ keys: StoreKeys, in folder: String? = nil
        ) throws(PushError) {
            self.folder =
                if let folder { folder } else { try Self.folder(of: key.collection, keys) }
            file = try Self.text(key.name, "r.", Self.scope(key.collection), keys)
        }

        init(folder: String, file: String) {
            self.folder = folder
            self.file = file
        }

        static func folder(of collection: String, _ keys: StoreKeys) throws(PushError) -> String {
            try text(collection, "c.", collectionScope, keys)
        }

        /// What a folder's name says; `nil` if it is too long for one, or not under this key.
        static func collection(
            ofFolder folder: String, _ keys: StoreKeys
        ) throws(PushError) -> String? {
            try name(folder, "c.", collectionScope, keys)
        }

        /// What a file's name says; `nil` if it is too long for one, or not under this key.
        static func name(
            ofFile file: String, in collection: String, _ keys: StoreKeys
        ) throws(PushError) -> String? {
            try name(file, "r.", scope(collection), keys)
        }

        /// How the name of a file or folder begins that stands for a longer one.
        static let long = "h."

        private static let collectionScope = "collections"
        private static func scope(_ collection: String) -> String { "names of \(collection)" }

        private static func text(
            _ name: String, _ prefix: String, _ scope: String, _ keys: StoreKeys
        ) throws(PushError) -> String {
            // 40 bytes more when sealed, 4 characters for 3 bytes, 255 characters for a file's name.
            if name.utf8.count <= 149 {
                return prefix + Bytes.base64URL(try keys.conceal(name, in: scope))
            }
            return long + Bytes.base64URL(keys.digest(name, in: scope))
        }

        private static func name(
            _ text: String, _ prefix: String, _ scope: String, _ keys: StoreKeys
        ) throws(PushError) -> String? {
            guard text.hasPrefix(prefix),
                let box = Bytes.base64URL(reading: text.dropFirst(prefix.count))
            else { return nil }
            return keys.reveal(box, in: scope)
        }
    }

    var damagedFolder: String { root + "/damaged" }
    var discardedFolder: String { root + "/discarded" }

    func path(_ place: Place) -> String { "\(root)/\(place.folder)/\(place.file)" }
    func damagedPath(_ place: Place) -> String { "\(damagedFolder)/\(place.folder)/\(place.file)" }

    func list(
        _ collection: String, in ring: Keyring.Ring, waiting: Bool = false
    ) throws(PushError) -> [String] {
        var names: [String] = []
        var taken: Set<RecordKey> = []
        for base in [root, damagedFolder] {
            for keys in ring.all {
                let folder = "\(base)/\(try Place.folder(of: collection, keys))"
                for file in try files(in: folder, waiting && base == root) {
                    guard let key = try key(ofFile: file, at: folder, in: collection, keys),
                        taken.insert(key).inserted
                    else { continue }
                    names.append(key.name)
                }
            }
        }
        return names
    }

    /// The files of a folder, or those whose head doesn't say that no work waits in their record:
    /// that is told before names are opened, which costs more. A head that can't be read doesn't
    /// say so: the reader of the record is told why.
    private func files(
        in folder: String, _ waiting: Bool
    ) throws(PushError) -> [String] {
        let files = try disk.list(folder) ?? []
        guard waiting, !files.isEmpty, let place = try disk.openDirectory(folder) else {
            return files
        }
        defer { disk.shut(place) }
        return files.filter { file in
            let head = try? disk.head(of: file, RecordFile.headCount, in: (place, folder))
            return head.map(RecordFile.mayWait) ?? true
        }
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

import PushCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The directory that a store is in: its path, its mode, and what has to be there.
enum StoreDirectory {
    /// Checks the directory, makes what is missing, and clears what a killed process left behind.
    ///
    /// - Returns: Its absolute path.
    @concurrent
    static func prepare(
        _ path: String, _ keys: StoreKeys, _ disk: Disk, _ patience: Duration
    ) async throws(PushError) -> String {
        let root = try absolute(path)
        if try disk.status(of: root) == nil { try makeDirectories(root, disk) }
        try check(root, disk)
        let header = Keyring.path(in: root)
        if try disk.status(of: header) == nil { try refuseForeign(root, disk) }
        for folder in ["locks", "tmp"] { try disk.makeDirectory("\(root)/\(folder)") }
        if try disk.status(of: header) == nil {
            let lock = try await FileStore.lock(FileStore.storeLock, in: root, disk, patience)
            defer { disk.unlock(lock.file) }
            if try disk.status(of: header) == nil {
                try refuseForeign(root, disk)
                try settle(root, disk)
                try write(try StoreHeader(keys), in: root, disk)
            }
        }
        // The writer of a temporary file holds the lock of the same name.
        for name in FileStore.lockNames + [FileStore.storeLock] {
            let path = "\(root)/locks/\(name)"
            let file = try disk.openLock(path)
            defer { disk.shut(file) }
            if try disk.tryLock(file, path) { try disk.remove("\(root)/tmp/\(name)") }
        }
        return root
    }

    /// Replaces the header, under the store's lock.
    static func write(
        _ header: StoreHeader, in root: String, _ disk: Disk
    ) throws(PushError) {
        let temporary = "\(root)/tmp/\(FileStore.storeLock)"
        try disk.create(temporary, Array(header.text.utf8), replacing: true)
        guard try disk.move(temporary, to: Keyring.path(in: root)) else {
            throw PushError(.storage, "\(temporary) was taken away.")
        }
        try disk.synchronize(directory: root)
    }

    static func absolute(_ path: String) throws(PushError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw PushError(.invalidArgument, "The path is empty or holds a zero byte.")
        }
        var absolute = path
        if !path.hasPrefix("/") {
            guard let current = getcwd(nil, 0) else {
                throw PushError(.storage, "There is no current directory for \(path).")
            }
            defer { free(current) }
            absolute = "\(String(cString: current))/\(path)"
        }
        while absolute.count > 1, absolute.hasSuffix("/") { absolute.removeLast() }
        return absolute
    }

    private static func makeDirectories(_ path: String, _ disk: Disk) throws(PushError) {
        guard let end = path.lastIndex(of: "/"), end > path.startIndex else {
            try disk.makeDirectory(path)
            return
        }
        let parent = String(path[..<end])
        if try disk.status(of: parent) == nil { try makeDirectories(parent, disk) }
        // Another process that has just made it may not have come to this yet.
        try disk.makeDirectory(path)
        try disk.synchronize(directory: parent)
    }

    /// Makes durable that the store's directory is there, whoever made it. A parent that this user
    /// may not read is another's doing, and not a reason to fail.
    private static func settle(_ root: String, _ disk: Disk) throws(PushError) {
        guard let end = root.lastIndex(of: "/"), end > root.startIndex else { return }
        try disk.synchronize(directory: String(root[..<end]), ifReadable: true)
    }

    private static func check(_ root: String, _ disk: Disk) throws(PushError) {
        func refusal(_ why: String) -> PushError {
            PushError(.storage, "\(root) can't be a store: \(why)")
        }
        guard let status = try disk.status(of: root, followingLinks: true) else {
            throw refusal("it is a symbolic link that leads nowhere. Remove it.")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw refusal("it isn't a directory. Name another path.")
        }
        guard status.st_uid == geteuid() else {
            throw refusal("it belongs to another user. Name another path, or change its owner.")
        }
        let mode = status.st_mode & 0o777
        guard mode == 0o700 else {
            throw refusal(
                "its mode is 0\(String(mode, radix: 8)), but only its owner may use it, in all "
                    + "ways. Run `chmod 700 \(root)`.")
        }
    }

    /// Without a header, there may be nothing but what a killed process had begun to make.
    private static func refuseForeign(_ root: String, _ disk: Disk) throws(PushError) {
        for name in try disk.list(root) ?? [] where !["locks", "tmp"].contains(name) {
            // Another process may have made it just now.
            if try disk.status(of: Keyring.path(in: root)) != nil { return }
            throw PushError(
                .storage,
                "\(root) holds files, but no store's header: it isn't a store, or its header is "
                    + "lost. Name an empty directory, or put the header back from a backup.")
        }
    }
}

import PushCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system calls that a store makes: each can be made to fail, and says as what it failed.
///
/// Paths are absolute. A failure is a `PushError` with the code `storage` that names the operation,
/// the path and the system's error.
struct Disk: Sendable {
    enum Call: String, Sendable {
        case open, read, write, fsync, rename, link, unlink, mkdir, rmdir, stat, list, flock
    }

    enum Fault: Sendable {
        /// The call does nothing and fails.
        case errno(Int32)
        /// A write puts half its bytes down, then fails.
        case short(Int32)
    }

    /// Asked before each call; for tests.
    let fault: (@Sendable (Call, String) -> Fault?)?

    init(fault: (@Sendable (Call, String) -> Fault?)? = nil) {
        self.fault = fault
    }

    /// The whole of a regular file; `nil` if there is none.
    func contents(
        of path: String, limit: Int = 1 << 28, followingLinks: Bool = false
    ) throws(PushError) -> [UInt8]? {
        // Not blocking, for a pipe in a file's place would wait for a writer.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW)
        guard let file = try optional(.open, path, { open(path, flags) }) else { return nil }
        defer { shut(file) }
        var status = stat()
        try run(.stat, path) { fstat(file, &status) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else {
            throw PushError(.storage, "\(path) isn't a file of the store.")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let start = filled
            let count = try run(.read, path) {
                bytes.withUnsafeMutableBytes {
                    read(file, $0.baseAddress?.advanced(by: start), $0.count - start)
                }
            }
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    /// The first bytes of a file, fewer if it's shorter; none if there is no such file.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - count: How many bytes.
    ///   - folder: The directory that it is in, open, so that the way there needn't be looked up for
    ///     each of many files.
    /// - Returns: The bytes.
    /// - Throws: `PushError` with the code `storage`.
    func head(
        of name: String, _ count: Int, in folder: (file: Int32, path: String)
    ) throws(PushError) -> [UInt8] {
        let path = "\(folder.path)/\(name)"
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
        guard
            let file = try optional(.open, path, { openat(folder.file, name, flags) })
        else { return [] }
        defer { shut(file) }
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try run(.read, path) {
            bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        }
        bytes.removeLast(count - filled)
        return bytes
    }

    /// Makes a file that isn't there yet, with mode 0600, and makes its contents durable.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - bytes: Its contents.
    ///   - replacing: Whether one that is there goes first, such as what a killed process left.
    /// - Throws: `PushError` with the code `storage`.
    func create(
        _ path: String, _ bytes: [UInt8], replacing: Bool = false
    ) throws(PushError) {
        let make = { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
        var made = try optional(.open, path, absent: replacing ? [EEXIST] : [], make)
        if made == nil {
            try remove(path)
            made = try run(.open, path, make)
        }
        guard let file = made else { return }
        defer { shut(file) }
        var written = 0
        while written < bytes.count {
            var end = bytes.count
            let fault = fault?(.write, path)
            if case .errno(let code)? = fault { throw failure(.write, path, code) }
            if case .short? = fault { end = written + (end - written) / 2 }
            let start = written
            let result = retrying {
                bytes.withUnsafeBytes {
                    write(file, $0.baseAddress?.advanced(by: start), end - start)
                }
            }
            switch result {
            case .success(let count): written += count
            case .failure(let error): throw failure(.write, path, error.code)
            }
            if case .short(let code)? = fault { throw failure(.write, path, code) }
        }
        try synchronize(file, path)
    }

    /// A directory open for making durable what it lists; `nil` if there is none, or, where that
    /// is no failure, none that this user may read.
    func openDirectory(_ path: String, ifReadable: Bool = false) throws(PushError) -> Int32? {
        try optional(.open, path, absent: ifReadable ? [ENOENT, EACCES] : [ENOENT]) {
            open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
    }

    /// Makes what a directory lists durable, if it is there.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - ifReadable: Whether one that this user may not read is left alone.
    /// - Throws: `PushError` with the code `storage` if it can't be opened or synchronized.
    func synchronize(directory path: String, ifReadable: Bool = false) throws(PushError) {
        guard let file = try openDirectory(path, ifReadable: ifReadable) else { return }
        defer { shut(file) }
        try synchronize(file, path)
    }

    func shut(_ file: Int32) { _ = close(file) }

    func synchronize(_ file: Int32, _ path: String) throws(PushError) {
        try run(.fsync, path) { () -> Int32 in
            #if canImport(Darwin)
            // There, fsync leaves the bytes in the drive's cache.
            if fcntl(file, F_FULLFSYNC) == 0 { return 0 }
            #endif
            return fsync(file)
        }
    }

    /// Whether there was such a file, which has the new name now.
    func move(_ path: String, to target: String) throws(PushError) -> Bool {
        try optional(.rename, path) { rename(path, target) } != nil
    }

    /// Gives a file one more name, unless something has that name already; returns whether it did.
    func link(_ path: String, as name: String) throws(PushError) -> Bool {
        try optional(.link, name, absent: [EEXIST]) {
            linkat(AT_FDCWD, path, AT_FDCWD, name, 0)
        } != nil
    }

    /// Whether there was such a file.
    @discardableResult
    func remove(_ path: String) throws(PushError) -> Bool {
        try optional(.unlink, path) { unlink(path) } != nil
    }

    /// Whether the directory is new. Its parent must be there.
    @discardableResult
    func makeDirectory(_ path: String) throws(PushError) -> Bool {
        try optional(.mkdir, path, absent: [EEXIST]) { mkdir(path, 0o700) } != nil
    }

    func removeDirectory(_ path: String) throws(PushError) {
        _ = try optional(.rmdir, path) { rmdir(path) }
    }

    /// The names in a directory but `.` and `..`; `nil` if there is no such directory.
    func list(_ path: String) throws(PushError) -> [String]? {
        if case .errno(let code)? = fault?(.list, path) { throw failure(.list, path, code) }
        guard let directory = opendir(path) else {
            if errno == ENOENT { return nil }
            throw failure(.list, path, errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)
                ) {
                    String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
            errno = 0
        }
        if errno != 0 { throw failure(.list, path, errno) }
        return names
    }

    /// What is at a path, a symbolic link itself or what it leads to; `nil` if nothing is.
    func status(of path: String, followingLinks: Bool = false) throws(PushError) -> stat? {
        var status = stat()
        return try optional(.stat, path) {
            followingLinks ? stat(path, &status) : lstat(path, &status)
        }.map { _ in status }
    }

    /// A file open for locking, made if it is missing.
    func openLock(_ path: String) throws(PushError) -> Int32 {
        try run(.open, path) { open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    }

    /// Whether the lock is ours now; another process or task has it otherwise.
    func tryLock(_ file: Int32, _ path: String) throws(PushError) -> Bool {
        try optional(.flock, path, absent: [EWOULDBLOCK]) { flock(file, LOCK_EX | LOCK_NB) } != nil
    }

    /// Gives a lock back. Closing the file isn't enough: a process that another thread is just
    /// starting has a copy of it, until it runs its program.
    func unlock(_ file: Int32) {
        _ = flock(file, LOCK_UN)
        shut(file)
    }
}

extension Disk {
    /// Runs a system call that returns -1 if it fails.
    @discardableResult
    private func run<Number: SignedInteger>(
        _ call: Call, _ path: String, _ body: () -> Number
    ) throws(PushError) -> Number {
        switch attempt(call, path, body) {
        case .success(let result): return result
        case .failure(let error): throw failure(call, path, error.code)
        }
    }

    /// The same, but `nil` for some of the system's errors.
    private func optional(
        _ call: Call, _ path: String, absent: [Int32] = [ENOENT], _ body: () -> Int32
    ) throws(PushError) -> Int32? {
        switch attempt(call, path, body) {
        case .success(let result): return result
        case .failure(let error) where absent.contains(error.code): return nil
        case .failure(let error): throw failure(call, path, error.code)
        }
    }

    private func attempt<Number: SignedInteger>(
        _ call: Call, _ path: String, _ body: () -> Number
    ) -> Result<Number, SystemError> {
        switch fault?(call, path) {
        case .errno(let code)?, .short(let code)?: .failure(SystemError(code: code))
        case nil: retrying(body)
        }
    }

    private func retrying<Number: SignedInteger>(
        _ body: () -> Number
    ) -> Result<Number, SystemError> {
        while true {
            let result = body()
            if result >= 0 { return .success(result) }
            if errno != EINTR { return .failure(SystemError(code: errno)) }
        }
    }

    private func failure(_ call: Call, _ path: String, _ code: Int32) -> PushError {
        let error = SystemError(code: code)
        return PushError(
            .storage, "\(path) can't be \(call.participle): \(error.cause). \(error.advice)",
            underlying: error)
    }
}

extension Disk.Call {
    fileprivate var participle: String {
        switch self {
        case .open: "opened"
        case .read, .stat, .list: "read"
        case .write, .fsync, .rename: "written"
        case .unlink, .rmdir: "removed"
        case .mkdir, .link: "made"
        case .flock: "locked"
        }
    }
}

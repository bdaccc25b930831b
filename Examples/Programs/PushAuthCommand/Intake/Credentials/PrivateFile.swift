import Foundation
import PosixFiles
import PushPlatform

/// A file that only its owner may read, written whole or not at all.
struct PrivateFile {
    let path: String

    /// Whether this program made it, and makes it again if it isn't there.
    var isOwn = true

    /// What it holds; `nil` if it isn't there.
    ///
    /// - Throws: `Failure` if others may read or write it, or it is no plain file of this user's.
    func read() throws(Failure) -> Data? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let error = SystemError(code: errno)
            if error.code == ENOENT { return nil }
            throw Failure(
                .store, "The file \(path) can't be read: \(error.cause).",
                advice: error.code == ELOOP ? "It must be a plain file, and yours." : error.advice)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let status = FileStatus(descriptor: descriptor), status.kind == .file, status.isOwn
        else {
            throw Failure(.store, "The file \(path) is no plain file of yours.")
        }
        guard status.mode & 0o077 == 0 else {
            throw Failure(
                .store, "The file \(path) may be read or written by others.",
                advice: "If nobody did: chmod 600 '\(path)'. Else "
                    + (isOwn ? "remove it: a new one is made." : "name another file."))
        }
        guard let bytes = try? file.read(upToCount: 1 << 20) else { return Data() }
        return bytes
    }

    /// Makes it; one that is there stays as it is.
    func create(_ bytes: Data) throws(Failure) {
        // The name is taken before the bytes are there, so that nobody else's file is replaced.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let error = SystemError(code: errno)
            throw Failure(
                .store, "The file \(path) can't be made: \(error.cause).",
                advice: error.code == EEXIST ? "There is one already." : error.advice)
        }
        close(descriptor)
        do {
            try write(bytes)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Replaces it.
    func write(_ bytes: Data) throws(Failure) {
        let draft = "\(path).\(UUID().uuidString).new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritten(errno) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        defer { close(descriptor) }
        do {
            try file.write(contentsOf: bytes)
        } catch {
            unlink(draft)
            throw unwritten((error as NSError).underlyingNumber ?? EIO)
        }
        guard fsync(descriptor) == 0, rename(draft, path) == 0 else {
            let number = errno
            unlink(draft)
            throw unwritten(number)
        }
        syncDirectory()
    }

    private func unwritten(_ number: Int32) -> Failure {
        let error = SystemError(code: number)
        return Failure(
            .store, "The file \(path) can't be written: \(error.cause).", advice: error.advice)
    }

    /// Without it a power cut may take the new name away again. Some file systems can't.
    private func syncDirectory() {
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = fsync(descriptor)
        close(descriptor)
    }
}

extension NSError {
    /// The system's number under Foundation's own error.
    fileprivate var underlyingNumber: Int32? {
        guard domain != NSPOSIXErrorDomain else { return Int32(exactly: code) }
        return (userInfo[NSUnderlyingErrorKey] as? NSError)?.underlyingNumber
    }
}

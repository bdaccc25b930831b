public import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension FileStore {
    /// Where the store's key comes from.
    public typealias KeySource = PushPlatform.KeySource
}

/// Where a store's key comes from: 32 bytes that nobody can guess.
public struct KeySource: Sendable {
    private let load: @Sendable () async throws -> Secret

    /// A key from anywhere, such as a key service.
    ///
    /// - Parameter load: Returns the 32 bytes. It is called once for each store that is opened, and
    ///   each time that a ``KeyedGuard`` seals or opens something.
    public init(_ load: @escaping @Sendable () async throws -> Secret) {
        self.load = load
    }

    /// A key from a file that only its owner may read: 32 bytes, or 64 hexadecimal digits and
    /// at most a line end.
    public static func file(_ path: String) -> KeySource {
        KeySource { () async throws(PushError) in try await readKey(path, Disk()) }
    }

    /// A key from an environment variable: 64 hexadecimal digits, or 32 bytes in base64.
    ///
    /// The variable stays in the process's memory, and other processes of its user may read it:
    /// a file is safer.
    public static func environment(_ name: String) -> KeySource {
        KeySource { () async throws(PushError) in
            guard let text = getenv(name) else {
                throw PushError(
                    .invalidArgument, "There is no environment variable \(name) with a key.")
            }
            let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
            if bytes.count == 64, var key = Hexadecimal.bytes(bytes) {
                return Secret(taking: &key)
            }
            if var key = Data(base64Encoded: Data(bytes)), key.count == 32 {
                return Secret(taking: &key)
            }
            throw PushError(
                .invalidArgument,
                "The environment variable \(name) has \(bytes.count) characters; a key is 64 "
                    + "hexadecimal digits, or 32 bytes in base64.")
        }
    }

    /// Makes a file with a new random key, as 64 hexadecimal digits, that only its owner may
    /// read. Without this key nobody reads the store again: keep a copy elsewhere.
    ///
    /// A file that is there is never written over. Of several processes that make one at once, one
    /// does.
    ///
    /// - Parameters:
    ///   - path: The file. Its directory must be there.
    ///   - ifMissing: Whether a file that is there already is taken as it is; else it is refused.
    /// - Returns: The source that reads the file.
    /// - Throws: `PushError` with the code `storage` if it couldn't be made.
    @concurrent
    public static func newFile(
        _ path: String, ifMissing: Bool = false
    ) async throws(PushError) -> KeySource {
        let disk = Disk()
        let path = try StoreDirectory.absolute(path)
        let isKept = ifMissing ? try disk.status(of: path) != nil : false
        if !isKept {
            var text = SystemRandom().bytes(32).withBytes { $0.digits }
            text.append(UInt8(ascii: "\n"))
            defer { text.clear() }
            // It gets its name once it is whole: nobody reads half a key.
            let draft = "\(path).\(UInt64.random(in: 0...UInt64.max))"
            defer { _ = try? disk.remove(draft) }
            try disk.create(draft, text)
            guard try disk.link(draft, as: path) || ifMissing else {
                throw PushError(.storage, "There is a file \(path) already.")
            }
        }
        let end = path.lastIndex(of: "/") ?? path.startIndex
        try disk.synchronize(directory: end == path.startIndex ? "/" : String(path[..<end]))
        return .file(path)
    }

    package func keys(for use: StoreKeys.Use = .files) async throws(PushError) -> StoreKeys {
        do {
            return try StoreKeys(try await load(), for: use)
        } catch let error as PushError {
            throw error
        } catch {
            throw PushError(.storage, "The store's key can't be had.", underlying: error)
        }
    }

    @concurrent
    private static func readKey(_ path: String, _ disk: Disk) async throws(PushError) -> Secret {
        let path = try StoreDirectory.absolute(path)
        guard let status = try disk.status(of: path, followingLinks: true) else {
            throw PushError(.storage, "There is no key file \(path).")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw PushError(
                .storage, "\(path) is no file, so it holds no key. Name the file that does.")
        }
        guard status.st_mode & 0o077 == 0, [geteuid(), 0].contains(status.st_uid) else {
            throw PushError(
                .storage,
                "Others may use the key file \(path). Run `chmod 600 \(path)` as its user.")
        }
        guard var bytes = try disk.contents(of: path, limit: 1 << 16, followingLinks: true)
        else { throw PushError(.storage, "There is no key file \(path).") }
        defer { bytes.clear() }
        if bytes.count == 32 { return Secret(bytes) }
        var count = bytes.count
        if count > 0, bytes[count - 1] == UInt8(ascii: "\n") { count -= 1 }
        if count > 0, bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        if count == 64, var key = Hexadecimal.bytes(bytes[..<count]) {
            return Secret(taking: &key)
        }
        throw PushError(
            .invalidArgument,
            "The key file \(path) has \(bytes.count) bytes; a key is 32 bytes, or 64 "
                + "hexadecimal digits and at most a line end.")
    }
}

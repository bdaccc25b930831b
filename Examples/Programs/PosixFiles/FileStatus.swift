// Nothing else is imported: whose `stat` it is depends on what the compiler has read before.
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the system says of a file.
public struct FileStatus: Sendable {
    /// What a file is, as far as this program tells.
    public enum Kind: Sendable {
        case file, directory, link, other
    }

    /// What it is.
    public let kind: Kind

    /// The permission bits, with the sticky bit.
    public let mode: UInt32

    /// The owner's number.
    public let owner: UInt32

    /// Whether it is this process's user's.
    public var isOwn: Bool { owner == geteuid() }

    /// The mode as `chmod` takes it.
    public var octal: String { "0" + String(mode, radix: 8) }

    /// Of a path; `nil` if there is nothing, or nobody may look.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - followsLink: Whether a link is what it leads to.
    public init?(_ path: String, followingLink followsLink: Bool = true) {
        var found = stat()
        guard (followsLink ? stat(path, &found) : lstat(path, &found)) == 0 else { return nil }
        self.init(found)
    }

    /// Of an open file; `nil` if the descriptor isn't open.
    public init?(descriptor: Int32) {
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { return nil }
        self.init(found)
    }

    private init?(_ found: stat) {
        let type = found.st_mode & S_IFMT
        guard type != 0 else { return nil }
        kind =
            switch type {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .link
            default: .other
            }
        mode = UInt32(found.st_mode) & 0o7777
        owner = found.st_uid
    }
}

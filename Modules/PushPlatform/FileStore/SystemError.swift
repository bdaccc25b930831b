#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why the system refused something with a file: the error under a `PushError` with the code `storage`.
public struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The system's number for it, an `errno`.
    public let code: Int32

    /// What is wrong, in words that go on after a colon, such as "the disk is full".
    public let cause: String

    /// What to do about it, a sentence.
    public let advice: String

    /// Creates an error.
    ///
    /// - Parameter code: An `errno`.
    public init(code: Int32) {
        self.code = code
        (cause, advice) =
            switch code {
            case ENOSPC: ("the disk is full", "Free some space, and try again.")
            case EDQUOT:
                ("this user's share of the disk is full", "Free some space, and try again.")
            case EROFS:
                ("its file system is read-only", "Make it writable, or name another place.")
            case EMFILE:
                (
                    "this process has as many files open as it may",
                    "Raise its limit, such as by `ulimit -n`."
                )
            case ENFILE:
                ("the system has as many files open as it can", "Try again once fewer are open.")
            case EFBIG:
                (
                    "it would be larger than this process may make a file",
                    "Raise its limit, such as by `ulimit -f`."
                )
            case ENOENT:
                ("it or its folder isn't there", "Look whether it was moved or removed.")
            case ENOTDIR: ("what should be its folder is none", "Look at its path.")
            case EISDIR: ("it is a folder", "Name a file.")
            case EACCES, EPERM:
                ("this user may not", "Look at its owner and mode, and at those of its folder.")
            case EPIPE: ("nobody reads it any more", "Look why its reader has ended.")
            case EBADF: ("it is closed", "Start the program with it open.")
            case EIO: ("the disk reports an error", "Look whether the disk is failing.")
            default: (strerror(code).map { String(cString: $0) } ?? "it was refused", "Look at it.")
            }
    }

    /// The cause.
    public var description: String { cause }
}

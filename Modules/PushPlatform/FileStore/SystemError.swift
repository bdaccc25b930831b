#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An `errno`, by its name.
struct SystemError: Error, Hashable, CustomStringConvertible {
    let code: Int32

    private static let names: [Int32: String] = [
        EACCES: "EACCES", EBADF: "EBADF", EBUSY: "EBUSY", EDQUOT: "EDQUOT", EEXIST: "EEXIST",
        EFBIG: "EFBIG", EINVAL: "EINVAL", EIO: "EIO", EISDIR: "EISDIR", ELOOP: "ELOOP",
        EMFILE: "EMFILE", EMLINK: "EMLINK", ENAMETOOLONG: "ENAMETOOLONG", ENFILE: "ENFILE",
        ENODEV: "ENODEV", ENOENT: "ENOENT", ENOLCK: "ENOLCK", ENOMEM: "ENOMEM", ENOSPC: "ENOSPC",
        ENOTDIR: "ENOTDIR", ENOTEMPTY: "ENOTEMPTY", ENOTSUP: "ENOTSUP", ENXIO: "ENXIO",
        EPERM: "EPERM", EROFS: "EROFS", ESTALE: "ESTALE", ETIMEDOUT: "ETIMEDOUT",
        EWOULDBLOCK: "EWOULDBLOCK", EXDEV: "EXDEV",
    ]

    var name: String { Self.names[code] ?? "errno \(code)" }
    var description: String { name }
}

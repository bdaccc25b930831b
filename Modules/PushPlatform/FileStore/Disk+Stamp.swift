import PushCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Disk {
    /// Tells whether a file was replaced or changed.
    struct Stamp: Hashable, Sendable {
        private let numbers: [Int64]

        init(_ status: stat) {
            #if canImport(Darwin)
            let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
            #else
            let (modified, changed) = (status.st_mtim, status.st_ctim)
            #endif
            numbers = [
                Int64(truncatingIfNeeded: status.st_ino), Int64(status.st_size),
                Int64(modified.tv_sec), Int64(modified.tv_nsec), Int64(changed.tv_sec),
                Int64(changed.tv_nsec),
            ]
        }
    }

    /// `nil` if there is no such file.
    func stamp(of path: String) throws(PushError) -> Stamp? {
        try status(of: path).map(Stamp.init)
    }
}

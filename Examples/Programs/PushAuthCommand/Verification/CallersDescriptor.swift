import Foundation
import PosixFiles

/// A file descriptor that the caller opened for this process, named by its number.
///
/// The same number may be one of the process's own, such as that of its event loop, from which nothing
/// is ever read.
struct CallersDescriptor {
    let number: Int32

    /// Whether it came with the process. What the process opens itself is closed in programs that it
    /// starts, which nothing that came by such a start can be; and it may be no file at all.
    var isOpen: Bool {
        let flags = fcntl(number, F_GETFD)
        return flags >= 0 && flags & FD_CLOEXEC == 0 && FileStatus(descriptor: number) != nil
    }

    /// Says what is wrong, and ends the command, unless it is open.
    ///
    /// - Throws: `ExitCode`, as an option is judged before a command can report.
    func check() throws {
        guard !isOpen else { return }
        let failure = Failure(
            .verification, "File descriptor \(number) isn't open for this process.",
            advice: "Open it, such as by \(number)< FILE in a shell.")
        failure.report()
        throw failure.status.exitCode
    }
}

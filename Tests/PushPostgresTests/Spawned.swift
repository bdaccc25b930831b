#if os(Linux)
import Foundation

/// A process that inherits nothing but its three streams.
///
/// Foundation's `Process` hands what other threads have just opened to its children. One that lasts would
/// keep others' streams open, and whoever waits for their end would wait for the server's.
final class Spawned: Sendable {
    let input: FileHandle
    let output: FileHandle
    private let pid: pid_t

    private static let closing = """
        cd /
        for stream in /proc/$$/fd/*; do
            number=${stream##*/}
            if ((number > 2)); then eval "exec $number>&-"; fi
        done
        exec "$@"
        """

    /// Starts a program, found by its name. What it writes is ``output``.
    init(_ arguments: [String]) throws {
        var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw POSIXError(.EMFILE) }
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer {
            close(toChild[0])
            close(fromChild[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], 2)
        // Threads of this process block signals, which a shell waits for.
        var (attributes, none) = (posix_spawnattr_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let all = ["bash", "-c", Self.closing, "bash"] + arguments
        var words: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let failure = posix_spawnp(&pid, "bash", &actions, &attributes, &words, environ)
        guard failure == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .ENOENT)
        }
        self.pid = pid
        input = FileHandle(fileDescriptor: toChild[1], closeOnDealloc: true)
        output = FileHandle(fileDescriptor: fromChild[0], closeOnDealloc: true)
    }

    /// Waits for its end, once.
    ///
    /// - Returns: What it has written, and whether it succeeded.
    func end() throws -> (output: String, isSuccess: Bool) {
        try input.close()
        let bytes = try output.readToEnd() ?? Data()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return (String(decoding: bytes, as: UTF8.self), status == 0)
    }

    /// Whether it has ended; nobody else may wait for it.
    var hasEnded: Bool {
        var status: Int32 = 0
        return waitpid(pid, &status, WNOHANG) != 0
    }
}
#endif

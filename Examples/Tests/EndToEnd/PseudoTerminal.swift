import Foundation
import PushCore

@testable import push_lab

/// A terminal that a test types at. A lock guards what changes, so `@unchecked Sendable` is safe.
final class PseudoTerminal: @unchecked Sendable {
    private let master: FileHandle
    private let slave: FileHandle
    private let lock = NSLock()
    private var text = ""
    private let changes: AsyncStream<Void>

    init() throws {
        let (descriptor, other) = try Self.ends()
        master = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        slave = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        let (changes, change) = AsyncStream<Void>.makeStream()
        self.changes = changes
        Thread.detachNewThread { [weak self, master] in
            var bytes = [UInt8](repeating: 0, count: 1024)
            while true {
                let count = read(master.fileDescriptor, &bytes, bytes.count)
                guard count > 0, let self else { return change.finish() }
                let more = String(decoding: bytes[..<count], as: UTF8.self)
                self.lock.withLock { self.text += more }
                change.yield()
            }
        }
    }

    private static func ends() throws -> (master: Int32, slave: Int32) {
        let failure = PushError(.storage, "There is no pseudo terminal.")
        #if os(Linux)
        // What grantpt(3) and the others do there; Glibc's module shows none of them.
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (unlocked, number): (Int32, Int32) = (0, 0)
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0,
            ioctl(master, 0x8004_5430, &number) == 0
        else { throw failure }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        #else
        var (master, slave): (Int32, Int32) = (-1, -1)
        guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw failure }
        #endif
        return (master, slave)
    }

    /// All that it has shown.
    var shown: String { lock.withLock { text } }

    var isEchoing: Bool {
        var settings = termios()
        return tcgetattr(master.fileDescriptor, &settings) == 0
            && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ text: String) {
        try? master.write(contentsOf: Data(text.utf8))
    }

    func waits(for words: String, times: Int = 1) async {
        let isThere = { self.shown.components(separatedBy: words).count > times }
        if isThere() { return }
        for await _ in changes where isThere() { return }
    }

    /// Runs `pushauth` under a shell whose terminal this is, and returns what the shell prints: its
    /// exit code and the terminal's settings, once it has ended.
    func run(
        _ site: PushAuthSite, _ arguments: [String], meanwhile: (PseudoTerminal) async -> Void
    ) async throws -> String {
        let script = "trap : INT QUIT; \"$0\" \"$@\"; echo \"code $?\"; stty -a"
        let output = try site.file("shell", "")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        let child = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/setsid"),
            ["-c", "-w", "sh", "-c", script, Program("pushauth").executable.path] + arguments,
            environment: site.environment, streams: (slave, handle, handle))
        await meanwhile(self)
        _ = await child.ended()
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    /// Runs a command by bash in a directory, and answers what it asks here.
    ///
    /// `answers` says what to type, by the end of the question.
    func run(
        shell command: String, in directory: URL, environment: [String: String],
        answers: [String: String]
    ) async throws -> ChildProcess.End {
        let child = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/setsid"),
            ["-c", "-w", "env", "--chdir=\(directory.path)", "bash", "-c", command],
            environment: environment, streams: (slave, slave, slave))
        let answering = Task {
            var answered: [String: Int] = [:]
            while !Task.isCancelled {
                for (question, answer) in answers {
                    let asked = shown.components(separatedBy: question).count - 1
                    guard asked > answered[question, default: 0] else { continue }
                    answered[question] = asked
                    type(answer + "\n")
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
        }
        let end = await child.ended()
        answering.cancel()
        return end
    }
}

import Foundation
import PushCore
import PushForgeRockSimulator
import PushTesting
import Testing

@testable import push_lab
@testable import pushauth

@Suite(.timeLimit(.minutes(2))) struct `pushauth asks at the terminal` {
    @Test func `a password isn't shown, and the echo is on again after`() async throws {
        try await PushAuthSite.run { site in
            let terminal = try PseudoTerminal()
            let result = try await terminal.run(site, ["enroll", "--user", "jane"]) { terminal in
                await terminal.waits(for: "Password: ")
                #expect(!terminal.isEchoing)
                terminal.type("correct horse\n")
            }
            #expect(
                result.contains("code 1\n")
                    && result.contains("no configured provider".capitalizedFirst))
            #expect(!result.contains("horse") && !terminal.shown.contains("horse"))
            #expect(result.contains(" echo ") && !result.contains("-echo "))
        }
    }

    @Test func `Ctrl-C while a password is typed gives the shell its echo back`() async throws {
        try await PushAuthSite.run { site in
            let terminal = try PseudoTerminal()
            let result = try await terminal.run(site, ["enroll", "--user", "jane"]) { terminal in
                await terminal.waits(for: "Password: ")
                #expect(!terminal.isEchoing)
                terminal.type("half\u{3}")
            }
            #expect(result.contains("code 130\n"), "\(result)")
            #expect(result.contains(" echo ") && !result.contains("-echo "))
            #expect(!terminal.shown.contains("half"))
        }
    }

    @Test(arguments: [
        ("\n", 6), ("n\n", 6), ("yess\n", 6), ("YES\n", 0), ("y\n", 0), ("y\u{3}", 130),
    ])
    func `what isn't a yes is a no, and nothing is joined`(
        answer: String, code: Int
    ) async throws {
        let simulator = ForgeRockSimulator()
        try await PushAuthSite.run(with: simulator) { site in
            _ = try await site.pushauth("token", "set", "--fcm", "lab-token")
            let text = try #require(try await simulator.invitation(for: "jane").scannedText)
            let terminal = try PseudoTerminal()
            let result = try await terminal.run(site, ["enroll", text]) { terminal in
                await terminal.waits(for: "Join it? [y/N] ")
                #expect(terminal.isEchoing)
                terminal.type(answer)
            }
            #expect(result.contains("code \(code)\n"), "\(result)")
            // Nothing was begun that another command could go on with.
            #expect(result.contains("Interrupted.\n") == (code == 130), "\(result)")
            #expect(await simulator.devices(of: "jane").isEmpty == (code != 0))
        }
    }

    // MARK: Without a terminal

    @Test func `a PIN is the first line of a descriptor`() throws {
        #expect(try line(of: "1234\n5678\n") == "1234")
        #expect(try line(of: "1234\r\n") == "1234")
        #expect(try line(of: "1234") == "1234")
        #expect(try line(of: String(repeating: "1", count: 1024)).count == 1024)
    }

    @Test(arguments: ["", "\n", "\r\n1234\n"])
    func `an empty line is none`(text: String) {
        let error = #expect(throws: PushError.self) { try line(of: text) }
        #expect(error?.code == .cancelled)
    }

    @Test func `a line that is too long isn't cut off`() {
        let error = #expect(throws: PushError.self) {
            try line(of: String(repeating: "1", count: 1025) + "\n")
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a descriptor or a variable that isn't there is named, not shown`() {
        let descriptor = #expect(throws: PushError.self) { try Prompt().line(from: 16_777_215) }
        #expect(descriptor?.reason.contains("16777215") == true)
        let variable = #expect(throws: PushError.self) { try Prompt().variable("PUSHAUTH_NONE") }
        #expect(variable?.reason.contains("PUSHAUTH_NONE") == true)
    }

    @Test func `a PIN can't be an argument`() async throws {
        try await PushAuthSite.run { site in
            for option in ["--pin", "--password", "--code"] {
                let result = try await site.pushauth("approve", "ab", option, "1234")
                #expect(result.exitCode == 64)
            }
        }
    }

    private func line(of text: String) throws -> String {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try pipe.fileHandleForWriting.close()
        return try Prompt().line(from: pipe.fileHandleForReading.fileDescriptor)
            .withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// A terminal that a test types at. A lock guards what changes, so `@unchecked Sendable` is safe.
private final class PseudoTerminal: @unchecked Sendable {
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

    func waits(for words: String) async {
        if shown.contains(words) { return }
        for await _ in changes where shown.contains(words) { return }
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
}

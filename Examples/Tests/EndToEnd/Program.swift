import Foundation

@testable import push_lab

/// An executable of this package, run as a process of its own.
struct Program {
    /// What came of a run.
    struct Result: Sendable {
        let exitCode: Int32
        let output: String
        let errors: String
    }

    /// Where it is.
    let executable: URL

    /// Coverage is what the tests' own process runs. Thousands of programs would leave a profile of
    /// four megabytes each, and merging those takes minutes.
    private static let leavesNoProfile: Void = {
        if getenv("LLVM_PROFILE_FILE") != nil { setenv("LLVM_PROFILE_FILE", "/dev/null", 1) }
    }()

    /// The executable stands beside the tests' own.
    init(_ name: String) {
        Self.leavesNoProfile
        executable = URL(fileURLWithPath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent(name)
    }

    /// A program elsewhere, such as a script.
    init(at executable: URL) {
        self.executable = executable
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: What it is told.
    ///   - input: Its standard input, for what is written while it runs.
    ///   - text: All of its standard input, if that is known; empty by default.
    ///   - environment: What is added to the tests' own environment.
    ///   - meanwhile: What happens while it runs.
    /// - Returns: How it ended, and what it wrote.
    /// - Throws: What starting it throws, or what `meanwhile` throws.
    func run(
        _ arguments: [String], input: Pipe? = nil, text: String? = nil,
        environment: [String: String] = [:],
        meanwhile: (ChildProcess) async throws -> Void = { _ in }
    ) async throws -> Result {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        // Files, not pipes: nobody has to read while it runs, and the end of a file doesn't wait for
        // whoever else was started just now, and got the pipe's other end with it.
        let files = ["output", "errors"].map { directory.url.appendingPathComponent($0) }
        for file in files { try Data().write(to: file) }
        var source = input?.fileHandleForReading ?? .nullDevice
        if let text {
            let file = directory.url.appendingPathComponent("input")
            try Data(text.utf8).write(to: file)
            source = try FileHandle(forReadingFrom: file)
        }
        let child = try ChildProcess(
            executable, arguments, environment: environment,
            streams: (
                source, try FileHandle(forWritingTo: files[0]),
                try FileHandle(forWritingTo: files[1])
            ))
        do {
            try await meanwhile(child)
        } catch {
            child.kill()
            throw error
        }
        return Result(
            exitCode: await child.ended().code,
            output: try String(contentsOf: files[0], encoding: .utf8),
            errors: try String(contentsOf: files[1], encoding: .utf8))
    }
}

/// A directory of a test's own.
struct TemporaryDirectory {
    let url: URL

    init() throws {
        // Whatever the shell's is: pushauth takes no policy that the user's group may write.
        _ = umask(0o022)
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("program-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() {
        try? FileManager.default.removeItem(at: url)
    }
}

import Foundation

/// An executable of this package, run as a process of its own.
struct Program {
    /// What came of a run.
    struct Result: Sendable {
        let exitCode: Int32
        let output: String
        let errors: String
    }

    private let executable: URL

    /// The executable stands beside the tests' own.
    init(_ name: String) {
        executable = URL(fileURLWithPath: CommandLine.arguments[0])
            .resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: What it is told.
    ///   - input: Its standard input; empty by default.
    func run(_ arguments: [String], input: Pipe? = nil) async throws -> Result {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("program-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        // Files, not pipes: nobody has to read while it runs.
        let files = ["output", "errors"].map { directory.appendingPathComponent($0) }
        for file in files { try Data().write(to: file) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        let exitCode = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        return Result(
            exitCode: exitCode, output: try String(contentsOf: files[0], encoding: .utf8),
            errors: try String(contentsOf: files[1], encoding: .utf8))
    }
}

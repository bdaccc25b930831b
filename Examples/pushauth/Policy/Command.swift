import Foundation

/// A program that the caller named, with its arguments: no shell is involved.
struct Command {
    let words: [String]

    init(_ words: [String]) {
        self.words = words
    }

    /// Runs it, and returns what it printed.
    ///
    /// - Parameters:
    ///   - input: What it reads.
    ///   - limit: After this time it is ended.
    func output(for input: Data, within limit: Duration) async throws(Failure) -> String {
        guard let program = words.first.flatMap(Self.path) else {
            throw Failure(.failed, "The command '\(words.first ?? "")' isn't there.")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = Array(words.dropFirst())
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        let ended = AsyncStream<Int32> { stream in
            process.terminationHandler = {
                stream.yield($0.terminationStatus)
                stream.finish()
            }
        }
        do {
            try process.run()
        } catch {
            throw Failure(.failed, "The command '\(program)' can't be started.")
        }
        let watch = Task {
            try await Task.sleep(for: limit)
            process.terminate()
        }
        defer { watch.cancel() }
        // Small enough for a pipe's buffer, so neither side waits for the other.
        try? stdin.fileHandleForWriting.write(contentsOf: input)
        try? stdin.fileHandleForWriting.close()
        let reading = Task.detached { stdout.fileHandleForReading.readDataToEndOfFile() }
        let bytes = await reading.value
        for await status in ended where status != 0 {
            throw Failure(.failed, "The command '\(program)' ended with \(status).")
        }
        return String(decoding: bytes.prefix(4096), as: UTF8.self)
    }

    private static func path(of name: String) -> String? {
        let candidates =
            name.contains("/")
            ? [name]
            : (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
                .map { "\($0)/\(name)" }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

import Foundation

/// A program that the caller named, with its arguments: no shell is involved.
struct Command {
    let words: [String]
    private let environment: [String: String]

    /// As much of the output as is read; the rest is thrown away.
    private static let largestOutput = 4096

    /// - Parameters:
    ///   - words: The program, and its arguments.
    ///   - names: The variables that it gets beside those of every program.
    init(_ words: [String], inheriting names: [String] = []) {
        self.words = words
        environment = ChildEnvironment(adding: names).variables
    }

    /// Runs it, and returns what it printed.
    ///
    /// - Parameters:
    ///   - input: What it reads.
    ///   - limit: After this time it is killed, and what it started as well.
    /// - Returns: The text that it printed.
    /// - Throws: `Failure` if it can't be run, fails, or takes too long.
    func output(for input: Data, within limit: Duration) async throws(Failure) -> String {
        let name = words.first ?? ""
        guard let program = Self.path(of: name) else {
            throw Failure(.failed, "The command '\(name)' isn't there.")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = Array(words.dropFirst())
        process.environment = environment
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        let (events, stream) = AsyncStream<Event>.makeStream()
        process.terminationHandler = { stream.yield(.ended($0.terminationStatus)) }
        do {
            try process.run()
        } catch {
            throw Failure(.failed, "The command '\(program)' can't be started.")
        }
        Self.write(input, to: stdin)
        Self.read(stdout) { stream.yield(.printed($0)) }
        let clock = Task {
            try await Task.sleep(for: limit)
            stream.yield(.tookTooLong)
        }
        defer { clock.cancel() }
        return try await result(events, process)
    }

    private enum Event: Sendable {
        case ended(Int32)
        case printed(Data)
        case tookTooLong
    }

    private func result(
        _ events: AsyncStream<Event>, _ process: Process
    ) async throws(Failure) -> String {
        let name = words.first ?? ""
        var status: Int32?
        var output: Data?
        for await event in events {
            switch event {
            case .ended(let found): status = found
            case .printed(let bytes): output = bytes
            case .tookTooLong:
                Self.kill(process)
                throw Failure(.failed, "The command '\(name)' took too long.")
            }
            guard let status, let output else { continue }
            guard status == 0 else {
                throw Failure(.failed, "The command '\(name)' ended with \(status).")
            }
            return String(decoding: output, as: UTF8.self)
        }
        // The stream ends early only if this task is cancelled.
        Self.kill(process)
        throw Failure(.failed, "The command '\(name)' was given up.")
    }

    /// With what it started, where it leads a group of its own.
    private static func kill(_ process: Process) {
        let id = process.processIdentifier
        if getpgid(id) == id {
            Foundation.kill(-id, SIGKILL)
        } else if process.isRunning {
            Foundation.kill(id, SIGKILL)
        }
    }

    /// On a thread of its own: the program may read late, or not at all.
    private static func write(_ input: Data, to pipe: Pipe) {
        let handle = pipe.fileHandleForWriting
        Thread.detachNewThread {
            // To write to a program that doesn't read would end this process.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            try? handle.write(contentsOf: input)
            try? handle.close()
        }
    }

    private static func read(_ pipe: Pipe, _ done: @escaping @Sendable (Data) -> Void) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread {
            var bytes = Data()
            while let more = try? handle.read(upToCount: largestOutput), !more.isEmpty {
                if bytes.count < largestOutput { bytes += more.prefix(largestOutput - bytes.count) }
            }
            done(bytes)
        }
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

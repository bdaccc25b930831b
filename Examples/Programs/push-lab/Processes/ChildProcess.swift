import Foundation

/// A process that this one starts, and how it ends.
final class ChildProcess: Sendable {
    /// How a process ended.
    struct End: Hashable, Sendable, CustomStringConvertible {
        /// What it exited with, or the signal that ended it.
        let code: Int32

        /// Whether a signal ended it.
        let wasSignaled: Bool

        var description: String { wasSignaled ? "signal \(code)" : "exit code \(code)" }
    }

    private static let own: [FileHandle] = [
        .standardInput, .standardOutput, .standardError, .nullDevice,
    ]

    private let process: Process
    private let ending: Task<End, Never>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The program.
    ///   - arguments: What it is told.
    ///   - environment: What is added to this process's environment.
    ///   - streams: Its standard input, output and error, in this order. This process's own copies are
    ///     closed, but those of its own standard streams.
    /// - Throws: What keeps the program from starting.
    init(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:],
        streams: (FileHandle, FileHandle, FileHandle)
    ) throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { $1 }
        (process.standardInput, process.standardOutput, process.standardError) = streams
        let (ends, announce) = AsyncStream<End>.makeStream()
        process.terminationHandler = { process in
            announce.yield(
                End(
                    code: process.terminationStatus,
                    wasSignaled: process.terminationReason == .uncaughtSignal))
            announce.finish()
        }
        defer {
            // Foundation's process object is never freed on Linux, and would keep them open.
            for stream in [streams.0, streams.1, streams.2] where !Self.own.contains(stream) {
                try? stream.close()
            }
        }
        try process.run()
        self.process = process
        ending = Task {
            for await end in ends { return end }
            return End(code: -1, wasSignaled: false)
        }
    }

    /// The system's number for it.
    var identifier: Int32 { process.processIdentifier }

    /// Whether it hasn't ended yet.
    var isRunning: Bool { process.isRunning }

    /// How it ended; waits until it does.
    func ended() async -> End {
        await ending.value
    }

    /// Ends it at once, whatever it is doing.
    func kill() {
        send(SIGKILL)
    }

    /// Asks it to end, as a supervisor does.
    func terminate() {
        send(SIGTERM)
    }

    /// Asks it to end, as Ctrl-C does.
    func interrupt() {
        send(SIGINT)
    }

    func send(_ signal: Int32) {
        // Once it has ended, its number may be another's.
        guard isRunning else { return }
        Foundation.kill(process.processIdentifier, signal)
    }
}

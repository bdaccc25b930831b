import Foundation
import PushCore
import PushTesting

@testable import push_lab

/// `pushauth listen` as a process of its own, and the events it prints.
final class ListeningProcess: Sendable {
    private let child: ChildProcess
    private let log: EventLog
    private let input = Pipe()

    /// - Parameters:
    ///   - arguments: What it is told.
    ///   - environment: What is added to the tests' own environment.
    ///   - descriptors: How many descriptors it may have; as many as the tests by default.
    /// - Throws: What keeps it from starting.
    init(
        _ arguments: [String], environment: [String: String], descriptors: Int? = nil
    ) throws {
        // A push for one that has ended is lost, and mustn't end the tests.
        signal(SIGPIPE, SIG_IGN)
        let output = Pipe()
        let program = Program("pushauth").executable
        let command = ["listen", "--json"] + arguments
        let limiting = descriptors.map { count in
            ["-c", "ulimit -n \(count) && exec \"$0\" \"$@\"", program.path] + command
        }
        child = try ChildProcess(
            limiting == nil ? program : URL(fileURLWithPath: "/bin/bash"), limiting ?? command,
            environment: environment,
            streams: (input.fileHandleForReading, output.fileHandleForWriting, .standardError))
        log = EventLog()
        let events = output.fileHandleForReading
        Task { [log] in
            for await line in Lines.stream(from: events) {
                OutputSchema.check(line, of: ["--json"])
                if let event = try? JSON(parsing: line) { await log.add(event) }
            }
            await log.finish()
        }
    }

    deinit { child.kill() }

    /// Waits for an event.
    func event(
        _ name: String, within limit: Duration = .seconds(30)
    ) async throws -> JSON {
        let start = ContinuousClock.now
        while start.duration(to: .now) < limit {
            if let event = await log.first(name) { return event }
            if await log.isOver { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Browser.Failure("No event '\(name)'; there were: \(await log.text)")
    }

    /// Every event until now.
    var events: [JSON] {
        get async { await log.events }
    }

    /// Hands it a push as a line of its standard input.
    func push(_ push: SimulatedPush) throws {
        try input.fileHandleForWriting.write(contentsOf: push.payload + Data("\n".utf8))
    }

    /// Ends it at once, whatever it is doing.
    func kill() async {
        child.kill()
        _ = await child.ended()
    }

    /// Asks it to end as Ctrl-C does, and doesn't wait.
    func interrupt() {
        child.interrupt()
    }

    /// How it ended; waits until it does, and until all is read that it has printed.
    func ended() async -> ChildProcess.End {
        let end = await child.ended()
        let start = ContinuousClock.now
        while await !log.isOver, start.duration(to: .now) < .seconds(60) {
            try? await Task.sleep(for: .milliseconds(20))
        }
        return end
    }

    /// Ends it as Ctrl-C does.
    func stop() async -> ChildProcess.End {
        child.interrupt()
        return await ended()
    }

    /// Ends it as a supervisor does.
    func terminate() async -> ChildProcess.End {
        child.terminate()
        return await ended()
    }

    private actor EventLog {
        private(set) var events: [JSON] = []
        private(set) var isOver = false

        var text: String { events.map(\.text).joined(separator: "\n") }

        func add(_ event: JSON) { events.append(event) }
        func finish() { isOver = true }
        func first(_ name: String) -> JSON? { events.first { $0["event"]?.string == name } }
    }
}

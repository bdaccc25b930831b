import Foundation
import PushCore

/// A child process with a ``LineService``, as the process that started it sees it.
actor Peer {
    /// Why a call has no reply.
    enum Failure: Error, Hashable {
        /// The process ended first.
        case ended
        /// It said nothing for half a minute.
        case silent(call: String)
        /// It couldn't do what was asked.
        case refused(code: String, reason: String)
    }

    private let child: ChildProcess
    private let input: FileHandle
    private let errorFile: URL
    private var waiting: [Int64: CheckedContinuation<JSON, any Error>] = [:]
    private var lastCall: Int64 = 0
    private var isOpen = true
    private var mayEnd = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: The program.
    ///   - arguments: What it is told.
    ///   - errorFile: Where its standard error goes.
    ///   - temporary: Its directory for temporary files.
    /// - Throws: What keeps the program from starting.
    init(
        _ executable: URL, _ arguments: [String], errorFile: URL, temporary: URL
    ) throws {
        // What is written to a process that has just ended is lost, and no reason to end.
        signal(SIGPIPE, SIG_IGN)
        let (toChild, fromChild) = (Pipe(), Pipe())
        try Data().write(to: errorFile)
        let errors = try FileHandle(forWritingTo: errorFile)
        child = try ChildProcess(
            executable, arguments, environment: ["TMPDIR": temporary.path],
            streams: (toChild.fileHandleForReading, fromChild.fileHandleForWriting, errors))
        input = toChild.fileHandleForWriting
        self.errorFile = errorFile
        let output = fromChild.fileHandleForReading
        Task {
            for await line in Lines.stream(from: output) { await take(line) }
            await close()
        }
    }

    /// Asks for something, and returns the reply.
    @discardableResult
    func call(_ name: String, _ arguments: JSON.Object = [:]) async throws -> JSON {
        try Task.checkCancellation()
        guard isOpen else { throw Failure.ended }
        lastCall += 1
        let id = lastCall
        var call = arguments
        call["call"] = .string(name)
        call["id"] = .number(JSON.Number(id))
        let line = Array((JSON.object(call).text + "\n").utf8)
        let patience = Task {
            try await Task.sleep(for: .seconds(30))
            resume(id, .failure(Failure.silent(call: name)))
        }
        defer { patience.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            waiting[id] = continuation
            // One that was just killed takes nothing; the end of its output says so.
            try? input.write(contentsOf: line)
        }
    }

    /// Kills it, and returns once it has ended.
    func kill() async {
        mayEnd = true
        child.kill()
        _ = await child.ended()
        isOpen = false
    }

    /// Lets it end by itself: its input ends. It has five seconds.
    func finish() async {
        mayEnd = true
        try? input.close()
        isOpen = false
        let patience = Task {
            try await Task.sleep(for: .seconds(5))
            child.kill()
        }
        _ = await child.ended()
        patience.cancel()
    }

    /// How it ended although nobody ended it, and its last words; `nil` if it runs or was ended.
    func unexpectedEnd() async -> String? {
        guard !isOpen, !mayEnd else { return nil }
        let end = await child.ended()
        let words = (try? String(contentsOf: errorFile, encoding: .utf8)) ?? ""
        return "\(end): \(words.suffix(2000))"
    }

    private func take(_ line: String) {
        guard let reply = try? JSON(parsing: line), let id = reply["id"]?.integer else { return }
        if let value = reply["value"] {
            resume(id, .success(value))
        } else {
            let code = reply["error"]?.string ?? ""
            let reason = reply["reason"]?.string ?? ""
            resume(id, .failure(Failure.refused(code: code, reason: reason)))
        }
    }

    private func resume(_ id: Int64, _ result: Result<JSON, any Error>) {
        waiting.removeValue(forKey: id)?.resume(with: result)
    }

    private func close() {
        isOpen = false
        for id in waiting.keys { resume(id, .failure(Failure.ended)) }
    }
}

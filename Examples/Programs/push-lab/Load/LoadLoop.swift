import ArgumentParser
import Foundation
import HTTPTypes
import PushCore
import PushPlatform

/// What sends pushes and answers, and does nothing else.
enum LoadLoop {
    /// This program.
    static var program: URL {
        Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    }

    /// Runs it in a process of its own.
    static func run(
        _ file: String, to url: String, trusting authorities: String, width: Int
    ) async throws -> LoadRun.Pace {
        let (input, output) = (Pipe(), Pipe())
        let process = try ChildProcess(
            program,
            [
                LoadLoopCommand.name, "--file", file, "--url", url, "--authorities", authorities,
                "--width", "\(width)",
            ],
            streams: (input.fileHandleForReading, output.fileHandleForWriting, .standardError))
        defer { process.kill() }
        let lines = Lines.stream(from: output.fileHandleForReading)
        guard await first(of: lines) == "ready" else {
            throw PushError(.notFound, "The loop didn't begin.")
        }
        let processor = ProcessorTime.of(process.identifier)
        let start = ContinuousClock.now
        try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
        guard await first(of: lines) == "done" else {
            throw PushError(.notFound, "The loop didn't end.")
        }
        return LoadRun.Pace(
            time: ContinuousClock.now - start,
            processor: ProcessorTime.of(process.identifier) - processor)
    }

    private static func first(of lines: AsyncStream<String>) async -> String? {
        for await line in lines { return line }
        return nil
    }
}

/// The process of the loop.
struct LoadLoopCommand: AsyncParsableCommand {
    static let name = "load-loop"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Sends what a file holds, for load.", shouldDisplay: false)

    @Option var file: String
    @Option var url: String
    @Option var authorities: String
    @Option var width: Int

    func run() async throws {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let answers = text.split(separator: "\n").compactMap { line in
            (try? JSON(parsing: String(line))).flatMap { HeldAnswer($0) }
        }
        let transport = SystemTransport(
            .init(plainHTTP: .loopbackOnly, certificateAuthorities: .file(authorities)))
        say("ready")
        _ = readLine()
        let url = url
        try await times(answers.count, width: width) { index in
            let answer = answers[index]
            try await LoadRun.deliver(answer.push, to: url, over: transport)
            let (response, _) = try await transport.send(answer.request, body: answer.body)
            guard response.status == .ok else {
                throw PushError(
                    .server(status: response.status.code),
                    "Expected 200 for an answer, not \(response.status.code).")
            }
        }
        say("done")
        // Until it was looked at how long it took.
        _ = readLine()
    }

    private func say(_ word: String) {
        print(word)
        fflush(nil)
    }
}

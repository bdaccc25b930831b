import Foundation
import PushCore

/// A `pushauth listen` that approves everything.
final class LoadListener: Sendable {
    /// Where it takes pushes.
    let url: String

    private let process: ChildProcess
    private let lines: AsyncStream<String>

    /// Starts it, and returns once pushes can come.
    ///
    /// - Parameters:
    ///   - program: `pushauth`.
    ///   - site: Whose pushes it takes.
    ///   - store: The options that name a store on servers; `nil` for the directory's.
    /// - Throws: What keeps it from starting.
    init(_ program: URL, at site: LoadSite, on store: [String]? = nil) async throws {
        let output = Pipe()
        let place =
            store ?? ["--store", site.path("store"), "--secret-file", site.path("secret")]
        process = try ChildProcess(
            program,
            [
                "listen", "--json", "--config", site.path("pushauth.toml"), "--policy",
                site.path("policy.toml"), "--http", "127.0.0.1:0",
            ] + place, streams: (.nullDevice, output.fileHandleForWriting, .standardError))
        lines = Lines.stream(from: output.fileHandleForReading)
        url = try await Self.url(in: lines)
    }

    /// Where it says that it listens.
    private static func url(in lines: AsyncStream<String>) async throws -> String {
        for await line in lines {
            let event = try? JSON(parsing: line)
            guard let url = event?["intakes"]?["http"]?["url"]?.string else { break }
            return url
        }
        throw PushError(.notFound, "pushauth doesn't listen.")
    }

    func stop() { process.kill() }

    /// What the kernel has counted for it.
    var processor: Double { ProcessorTime.of(process.identifier) }

    /// Waits until it has nothing more to do than to look at its store now and then.
    func rest() async throws {
        var last = -1.0
        while processor - last > 0.15 {
            last = processor
            try await Task.sleep(for: .milliseconds(1500))
        }
    }

    /// Waits for so many answers.
    func answers(_ count: Int) async throws {
        var left = count
        try await forEachAnswer {
            left -= 1
            return left > 0
        }
        guard left == 0 else {
            throw PushError(.notFound, "pushauth ended with \(left) of \(count) answers left.")
        }
    }

    /// Waits for answers, until `body` wants no more or the process ends.
    func forEachAnswer(_ body: () async throws -> Bool) async throws {
        for await line in lines {
            switch try JSON(parsing: line)["event"]?.string {
            case "answered": guard try await body() else { return }
            case "failed": throw PushError(.notFound, "pushauth failed: \(line)")
            default: break
            }
        }
    }
}

/// How long a process has kept the processors busy, itself and in the kernel.
enum ProcessorTime {
    /// In seconds; 0 where the system can't tell.
    static func of(_ process: Int32) -> Double {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            // The second field is a name in parentheses, and may hold anything.
            let end = text.lastIndex(of: ")")
        else { return 0 }
        let fields = text[end...].split(separator: " ").dropFirst()
        let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}

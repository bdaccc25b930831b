import Foundation
import Testing

/// `docs/guides/ci-testing.md` names a script, and shows what it printed.
@Suite struct `the guide to CI` {
    private let repository = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../..").standardizedFileURL
    private var script: URL {
        repository.appendingPathComponent("Examples/ci-testing/login.sh")
    }

    @Test(.timeLimit(.minutes(2)))
    func `its script logs in, and prints what the guide shows`() async throws {
        let guide = repository.appendingPathComponent("docs/guides/ci-testing.md")
        let shown = try transcript(in: String(contentsOf: guide, encoding: .utf8))

        let result = try await run(path: programs + ":" + usualPath)

        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(Self.normalized(result.output) == Self.normalized(shown))
        #expect(shown.contains("The server says: approved"))
    }

    @Test func `its script says which program is missing`() async throws {
        let result = try await run(path: usualPath)

        #expect(result.exitCode == 1)
        #expect(result.errors == "pushauth isn't in the PATH.\n")
    }

    /// The folder of `pushauth` and `push-lab`.
    private var programs: String {
        Program("pushauth").executable.deletingLastPathComponent().path
    }

    /// Without that folder, should someone have put it there.
    private var usualPath: String {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .filter { !FileManager.default.isExecutableFile(atPath: $0 + "/pushauth") }
            .joined(separator: ":")
    }

    private func run(path: String) async throws -> Program.Result {
        try await Program(at: script).run([], environment: ["PATH": path])
    }

    /// The fence after the line that names the script.
    private func transcript(in guide: String) throws -> String {
        let lines = guide.components(separatedBy: "\n")
        let marker = "<!-- output of: Examples/ci-testing/login.sh -->"
        let start = try #require(lines.firstIndex(of: marker))
        try #require(lines[start + 1] == "```text")
        let rest = lines[(start + 2)...]
        let end = try #require(rest.firstIndex(of: "```"))
        return rest[..<end].map { $0 + "\n" }.joined()
    }

    /// A run's own ports, names and IDs made alike.
    private static func normalized(_ text: String) -> String {
        text.replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:PORT")
            .replacing(/\/projects\/pushauth-[0-9a-f]{8}\//, with: "/projects/PROJECT/")
            .replacing(/\b[0-9a-f]{12}\b/, with: "ID")
    }
}

import Foundation
import PushCore
import Testing

@testable import push_lab

/// `docs/guides/push-lab.md` shows lines of a shell, and the JSON that they print.
@Suite struct `the guide to push-lab` {
    /// Lines of a shell, and what the guide shows below them, if it does.
    private struct Step {
        let lines: String
        let shown: String?
    }

    private let guide = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../../docs/guides/push-lab.md").standardizedFileURL

    @Test(.timeLimit(.minutes(2)))
    func `its lines print what it shows`() async throws {
        let steps = try Self.steps(in: String(contentsOf: guide, encoding: .utf8))
        #expect(steps.count { $0.shown != nil } > 6)
        let (output, errors) = try await run(steps.map(\.lines))
        try #require(output.count == steps.count, "\(output)\n\(errors)")
        for (step, printed) in zip(steps, output) {
            guard let shown = step.shown else { continue }
            let last = printed.split(separator: "\n").last.map(String.init) ?? ""
            #expect(Self.normalized(last) == Self.normalized(shown), "\(step.lines)\n\(last)")
        }
    }

    @Test func `it lists every reason and every code`() throws {
        let text = try String(contentsOf: guide, encoding: .utf8)
        for reason in PushFate.Reason.allCases {
            #expect(text.contains("| `\(reason.rawValue)` |"), "\(reason)")
        }
        for (_, _, _, status, code) in ConsoleAPITests.wrong {
            let isListed = text.split(separator: "\n")
                .contains { $0.hasPrefix("| \(status) |") && $0.contains("`\(code)`") }
            #expect(isListed, "\(status) \(code)")
        }
    }

    /// The guide's lines of a shell, but for the one that runs beside them.
    private static func steps(in guide: String) -> [Step] {
        let parts = guide.components(separatedBy: "\n```sh\n")
        return zip(parts, parts.dropFirst()).compactMap { before, part in
            guard !before.hasSuffix("<!-- runs beside the lines below -->") else { return nil }
            let pieces = part.components(separatedBy: "\n```")
            let rest = part.dropFirst(pieces[0].count)
            let mark = "\n```\n\n```json\n"
            guard rest.hasPrefix(mark) else { return Step(lines: pieces[0], shown: nil) }
            let shown = rest.dropFirst(mark.count).components(separatedBy: "\n```")[0]
            return Step(lines: pieces[0], shown: shown)
        }
    }

    /// Runs lines in one shell, beside a console and a device that listens.
    private func run(_ lines: [String]) async throws -> (output: [String], errors: String) {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let lab = directory.url.appendingPathComponent("lab")
        try FileManager.default.createDirectory(at: lab, withIntermediateDirectories: true)
        let push = directory.url.appendingPathComponent("push")
        let site = try await ConsoleSite.start(
            at: 0, sender: PushSender(directory: push),
            configurationFile: lab.appendingPathComponent("pushauth.toml").path)
        let programs = Program("pushauth").executable.deletingLastPathComponent().path
        let environment = [
            "HOME": directory.url.path, "XDG_DATA_HOME": directory.url.path + "/data",
            "XDG_CONFIG_HOME": directory.url.path + "/config",
            "server": "\(site.origin)/api/forgerock",
            "PATH": programs + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
        ]
        do {
            for (name, text) in await site.files() {
                try Data(text.utf8).write(to: lab.appendingPathComponent(name))
            }
            let listening = try ListeningProcess(
                [
                    "--fcm", "127.0.0.1:0", "--credentials", push.path, "--config",
                    lab.appendingPathComponent("pushauth.toml").path,
                ], environment: environment)
            _ = try await listening.event("listening")
            let end = "end of a step"
            let script = lines.map { $0 + "\necho '\(end)'\n" }.joined()
            let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
                [
                    "--chdir=\(directory.url.path)", "timeout", "60", "bash", "-e", "-o",
                    "pipefail", "-c", script,
                ], environment: environment)
            #expect(result.exitCode == 0, "\(result.errors)")
            _ = await listening.stop()
            await site.stop()
            return (
                result.output.components(separatedBy: end + "\n").dropLast().map { $0 },
                result.errors
            )
        } catch {
            await site.stop()
            throw error
        }
    }

    /// A run's own addresses, paths, times, tokens and numbers made alike.
    private static func normalized(_ text: String) -> String {
        text.replacing(/127\.0\.0\.1:[0-9]+/, with: "127.0.0.1:PORT")
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/, with: "TIME")
            .replacing(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[0-9]*/, with: "ID")
            .replacing(/\/[^ ']*\/lab\/pushauth\.toml/, with: "/lab/pushauth.toml")
            .replacing(/([?&][a-z]+)=[A-Za-z0-9_%\-]+/) { "\($0.1)=VALUE" }
            .replacing(/FCM [A-Za-z0-9_\-]{6}…/, with: "FCM TOKEN…")
            .replacing(/"(number)":"[0-9]+"/) { "\"\($0.1)\":\"NN\"" }
            .replacing(/"size":[0-9]+/, with: "\"size\":SIZE")
    }
}

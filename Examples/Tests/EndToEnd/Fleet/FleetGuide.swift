import Foundation
import Testing

@testable import push_lab

/// What the guide to fleets has to copy. Tests run it with their own hosts, ports and directories.
enum FleetGuide {
    /// The first fence of a language that has some words.
    static func fence(_ language: String, with words: String = "") throws -> String {
        let guide = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../../docs/guides/fleet.md").standardizedFileURL
        let parts = try String(contentsOf: guide, encoding: .utf8)
            .components(separatedBy: "\n```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        return try #require(
            parts.first { words.isEmpty || $0.contains(words) }, "\(language): \(words)") + "\n"
    }

    /// All fences between two headings, in their order.
    static func fences(
        from first: String, to last: String
    ) throws -> [(language: String, text: String)] {
        let guide = URL(fileURLWithPath: #filePath)
            .appendingPathComponent("../../../../../docs/guides/fleet.md").standardizedFileURL
        let text = try String(contentsOf: guide, encoding: .utf8)
        let begin = try #require(text.range(of: "\n\(first)\n")).upperBound
        let end = try #require(text.range(of: "\n\(last)\n")).lowerBound
        return text[begin..<end].components(separatedBy: "\n```").enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }
            .compactMap { part in
                part.element.firstIndex(of: "\n").map {
                    (
                        String(part.element[..<$0]),
                        String(part.element[part.element.index(after: $0)...]) + "\n"
                    )
                }
            }
    }

    /// The same with other texts in the place of some, each of which must be there.
    static func fence(
        _ language: String, with words: String, _ replacements: KeyValuePairs<String, String>
    ) throws -> String {
        var text = try fence(language, with: words)
        for (guide, own) in replacements {
            try #require(text.contains(guide), "\(guide)")
            text = text.replacingOccurrences(of: guide, with: own)
        }
        return text
    }

    /// Runs commands in a directory, as a shell does.
    static func run(
        _ commands: String, in directory: URL, environment: [String: String] = [:]
    ) async throws {
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["bash", "-eu", "-c", "cd '\(directory.path)'\n" + commands], environment: environment)
        try #require(result.exitCode == 0, "\(commands): \(result.errors)")
    }
}

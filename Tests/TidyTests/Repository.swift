import Foundation
import Testing

/// The files of this repository that are, or would be, committed.
struct Repository: Sendable {
    static let here = Repository(
        root: URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent())

    let root: URL

    /// The paths below some folders, from the root and in order.
    ///
    /// - Parameters:
    ///   - folders: All of it, if there are none.
    ///   - suffix: How each path ends.
    /// - Returns: The paths.
    /// - Throws: What reading a folder throws.
    func paths(in folders: [String] = [], endingWith suffix: String = "") throws -> [String] {
        var paths: [String] = []
        let prefix = root.standardizedFileURL.path + "/"
        for folder in folders.isEmpty ? [""] : folders {
            let start = folder.isEmpty ? root : root.appending(path: folder)
            let files = try #require(
                FileManager.default.enumerator(
                    at: start, includingPropertiesForKeys: [.isDirectoryKey, .isRegularFileKey]))
            for case let file as URL in files {
                let values = try file.resourceValues(forKeys: [.isDirectoryKey, .isRegularFileKey])
                if values.isDirectory == true {
                    if Self.isMade(file.lastPathComponent) { files.skipDescendants() }
                } else if values.isRegularFile == true, !Self.isMade(file.lastPathComponent) {
                    let path = String(file.standardizedFileURL.path.dropFirst(prefix.count))
                    if path.hasSuffix(suffix) { paths.append(path) }
                }
            }
        }
        return paths.sorted()
    }

    /// Whether a file or a folder of this name comes of a build or belongs to git.
    private static func isMade(_ name: String) -> Bool {
        name.hasPrefix(".build") || [".git", ".swiftpm", "Package.resolved"].contains(name)
            || name.hasSuffix(".profraw")
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// A file's text; `nil` if it isn't UTF-8.
    func text(of path: String) throws -> String? {
        String(data: try Data(contentsOf: root.appending(path: path)), encoding: .utf8)
    }

    /// A file's lines; none if it isn't UTF-8.
    func lines(of path: String) throws -> [Substring] {
        (try text(of: path) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Read once, for all tests.
    private static let sources = Result {
        try here.paths(endingWith: ".swift").map {
            Source(path: $0, lines: try here.lines(of: $0))
        }
    }

    /// What ships, by file: its lines, and where each stands.
    func shipped() throws -> [Source] {
        try sources().filter { $0.path.hasPrefix("Modules/") || $0.path.hasPrefix("Plugins/") }
    }

    /// Every Swift file.
    func sources() throws -> [Source] { try Self.sources.get() }
}

/// A Swift file.
struct Source: Sendable {
    let path: String
    let lines: [Substring]

    /// Its lines without comments; those that are nothing else are empty.
    let code: [Substring]

    init(path: String, lines: [Substring]) {
        self.path = path
        self.lines = lines
        code = lines.map(Self.withoutComment)
    }

    /// A file that isn't there, for what a check must find.
    init(_ text: String, at path: String = "Modules/PushCore/Example.swift") {
        self.init(
            path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }

    static func withoutComment(_ line: Substring) -> Substring {
        guard line.contains("//") else { return line }
        var start = line.startIndex
        while let slashes = line[start...].firstRange(of: "//") {
            let before = line[..<slashes.lowerBound].last
            if before == nil || before == " " || before == "\t" {
                return line[..<slashes.lowerBound]
            }
            start = slashes.upperBound
        }
        return line
    }

    static func isComment(_ line: Substring) -> Bool {
        line.drop { $0 == " " || $0 == "\t" }.hasPrefix("//")
    }

    /// Where a line stands, as compilers write it.
    func place(_ index: Int) -> String { "\(path):\(index + 1)" }
}

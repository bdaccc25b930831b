import Foundation
import PushCore
import Testing

/// Pushes to an APNs intake by curl, which knows nothing of this project.
struct Curl {
    /// What came of a push, such as `403 BadCertificate`, and whether it took a new connection.
    struct Reply: Hashable {
        let text: String
        let connects: Bool
    }

    let url: String
    /// The file with the certificate to trust.
    let authority: String

    /// Pushes one after the other, by one process of curl: over one connection, if it may.
    ///
    /// - Parameter pushes: For each, the options that the others don't have.
    /// - Returns: The replies, in the same order.
    /// - Throws: What running curl throws.
    func push(_ pushes: [[String]]) async throws -> [Reply] {
        let arguments = pushes.map { options in
            ["--silent", "--show-error", "--http2", "--cacert", authority]
                + ["--data", #"{"aps":{}}"#]
                + ["--write-out", "\n%{http_code} %{http_version} %{num_connects}\n"]
                + options + [url]
        }
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["curl"] + arguments.joined(separator: ["--next"]))
        #expect(result.errors.isEmpty)
        // A body, or an empty line, before each line of numbers.
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        return try lines.indices.filter { !$0.isMultiple(of: 2) }.map { index in
            let numbers = lines[index].split(separator: " ")
            try #require(numbers.count == 3 && numbers[1] == "2", "\(result.output)")
            let reason = try? JSON(parsing: String(lines[index - 1]))["reason"]?.string
            return Reply(
                text: [String(numbers[0]), reason].compactMap(\.self).joined(separator: " "),
                connects: numbers[2] != "0")
        }
    }

    /// What came of a single push.
    func push(_ options: String...) async throws -> String {
        try await push([options]).map(\.text).joined(separator: ", ")
    }
}

/// The openssl command line, in a directory.
struct OpenSSL {
    let directory: URL

    /// - Returns: What it printed.
    @discardableResult
    func run(_ arguments: String...) async throws -> String {
        let result = try await Program(at: URL(fileURLWithPath: "/usr/bin/env")).run(
            ["--chdir=\(directory.path)", "openssl"] + arguments)
        try #require(result.exitCode == 0, "\(result.errors)")
        return result.output
    }
}

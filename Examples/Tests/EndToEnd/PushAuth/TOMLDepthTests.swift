import Foundation
import Testing

@testable import PushAuthCommand

/// Files that go deeper than a stack does.
@Suite(.timeLimit(.minutes(2))) struct TOMLDepthTests {
    private static let levels = 20_000

    private static let deep: [String] = [
        "x" + String(repeating: ".x", count: levels) + " = 1\n",
        "[x" + String(repeating: ".x", count: levels) + "]\n",
        "x = " + String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            + "\n",
        "x = " + String(repeating: "{ x = ", count: levels) + "1"
            + String(repeating: " }", count: levels) + "\n",
        "x = " + String(repeating: "[{ x.x.x.x.x.x.x.x = \n[", count: levels) + "\n",
    ]

    /// What the program says of a text that is its policy, or its configuration.
    private static func reading(
        _ text: String, as kind: String, at site: PushAuthSite
    ) async throws -> Program.Result {
        if kind == "policy" {
            return try await site.pushauth(
                "listen", "--stdin", "--policy", try site.file("policy.toml", text))
        }
        try site.configure(text, trusting: false)
        return try await site.pushauth("list")
    }

    @Test(arguments: ["policy", "configuration"], deep)
    func `a file of 20,000 levels is refused with a sentence`(
        kind: String, text: String
    ) async throws {
        try await PushAuthSite.run { site in
            let result = try await Self.reading(text, as: kind, at: site)
            #expect(result.exitCode == 5, "\(result.errors.prefix(200))")
            #expect(result.errors.contains("deeper than 16 levels"), "\(result.errors.prefix(200))")
        }
    }

    @Test func `dots and brackets in texts and comments are no levels`() throws {
        let marks = String(repeating: "[.", count: 100)
        try TOMLDepth.check(
            """
            # \(marks)
            a = "\(marks) \\" \(marks)"
            b = '\(marks)'
            c = \"\"\"
            \(marks) " \(marks)\"\"\"
            d = [1.5, [2]]
            """)
    }

    @Test(arguments: ["policy", "configuration"])
    func `a file of more than a mebibyte is refused`(kind: String) async throws {
        try await PushAuthSite.run { site in
            let text = String(repeating: "# nothing\n", count: 110_000)
            let result = try await Self.reading(text, as: kind, at: site)
            #expect(result.exitCode == 5)
            #expect(result.errors.contains("more than 1 MiB"), "\(result.errors)")
        }
    }
}

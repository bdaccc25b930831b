import Foundation
import PushCore
import Testing

@Suite struct `push-lab demo` {
    private let program = Program("push-lab")

    @Test func `shows every flow as expected and exits with 0`() async throws {
        let result = try await program.run(["demo", "--json"])
        #expect(result.exitCode == 0, "\(result.output)")
        let report = try JSON(parsing: Data(result.output.utf8))
        let rows = try #require(report["rows"]?.array)
        #expect(rows.count >= 18)
        #expect(rows.allSatisfy { $0["result"] == "ok" && $0["seen"] == $0["expected"] })
        #expect(report["ok"]?.integer == Int64(rows.count))
        #expect(report["wrong"] == 0)
    }

    @Test func `prints a plain table where nobody looks`() async throws {
        let result = try await program.run(["demo", "--vendor", "forgerock"])
        #expect(result.exitCode == 0)
        #expect(!(result.output + result.errors).contains("\u{1B}"))
        let lines = result.output.split(separator: "\n")
        #expect(lines.first?.contains("expected") == true)
        #expect(lines.last?.hasSuffix(" 0 wrong, 0 skipped") == true)
        #expect(result.errors.contains("ok: forgerock: enroll by QR code\n"))
    }

    @Test func `shows exchanges without anything secret if asked to`() async throws {
        let result = try await program.run(["demo", "--verbose"])
        #expect(result.exitCode == 0)
        #expect(result.errors.contains("→ POST https://127.0.0.1:"))
        #expect(result.errors.contains("_action=authenticate"))
        #expect(result.errors.contains(#""jwt":"<"#))
        #expect(!result.errors.contains("eyJ"))
        #expect(!result.errors.contains("amlbcookie"))
    }

    @Test func `refuses a vendor it doesn't link, and names those it does`() async throws {
        let result = try await program.run(["demo", "--vendor", "acme"])
        #expect(result.exitCode == 64)
        #expect(result.errors.contains("Unknown vendor 'acme'. Known: forgerock"))
        #expect(result.output.isEmpty)
    }

    @Test func `explains itself`() async throws {
        let result = try await program.run(["demo", "--help"])
        #expect(result.exitCode == 0)
        for word in ["--vendor", "--json", "--verbose", "--keep-going", "Exit codes"] {
            #expect(result.output.contains(word))
        }
    }
}

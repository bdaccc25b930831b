import Foundation
import PushCore
import Testing

@testable import push_lab

@Suite struct `push-lab demo` {
    private let program = Program("push-lab")

    @Test func `shows every flow as expected and exits with 0`() async throws {
        let result = try await program.run(["demo", "--json"])
        #expect(result.exitCode == 0)
        let report = try JSON(parsing: Data(result.output.utf8))
        let rows = try #require(report["rows"]?.array)
        #expect(rows.count >= 21)
        #expect(rows.filter { $0["result"] != "ok" || $0["seen"] != $0["expected"] } == [])
        #expect(report["ok"]?.integer == Int64(rows.count))
        #expect(report["wrong"] == 0)
    }

    @Test(arguments: [
        (
            "process killed before the reply, started again",
            "killed, decision on disk; taken after restart, logged in"
        ),
        ("answer accepted, reply lost", "unknown; taken after resume, logged in"),
        (
            "server with another key than the pinned ones",
            "pin mismatch, nothing sent, still waiting"
        ),
        (
            "denied as fraud, a gateway's 403, then approved",
            "server(status: 403), still waiting; yes: another decision stands, login denied"
        ),
        (
            "cancelled by the bank, and every push about it lost",
            "open; pending(): cancelled; none open"
        ),
        ("two services on one phone", "ForgeRock has APNs's token, XignIn Firebase's"),
        (
            "APNs's token changes, then Firebase's",
            "each has its own newest; ForgeRock: logged in; XignIn: logged in"
        ),
        (
            "Firebase's token changes, then APNs's",
            "each has its own newest; ForgeRock: logged in; XignIn: logged in"
        ),
    ])
    func `shows what the SDK promises when things go wrong`(
        flow: String, seen: String
    ) async throws {
        let result = try await program.run(["demo", "--json"])
        let rows = try #require(try JSON(parsing: Data(result.output.utf8))["rows"]?.array)
        let row = try #require(rows.first { $0["flow"]?.string == flow })
        #expect(row["seen"]?.string == seen)
    }

    @Test(arguments: [false, true])
    func `takes every file away, if it is interrupted as well`(
        isInterrupted: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        func files() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
        }
        let result = try await program.run(
            ["demo"], environment: ["TMPDIR": directory.url.path]
        ) { child in
            // The last station's: by then, the program listens to signals.
            while child.isRunning,
                try !files().contains(where: { $0.hasSuffix("/a/store/locks") })
            {
                try await Task.sleep(for: .milliseconds(10))
            }
            if isInterrupted { child.interrupt() }
        }
        #expect(result.exitCode == (isInterrupted ? 130 : 0), "\(wrong(result))")
        #expect(try files() == [])
    }

    /// The flows that went another way than expected, of what the demo prints.
    private func wrong(_ result: Program.Result) -> String {
        result.output.split(separator: "\n").filter { $0.contains("WRONG") }
            .joined(separator: "\n")
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
        #expect(result.exitCode == 0, "\(wrong(result))")
        #expect(result.errors.contains("→ POST https://127.0.0.1:"))
        #expect(result.errors.contains("_action=authenticate"))
        #expect(result.errors.contains(#""jwt":"<"#))
        // A member of Keycloak's is named publicKeyJwk.
        #expect(!result.errors.replacing("publicKeyJwk", with: "").contains("eyJ"))
        #expect(!result.errors.contains("amlbcookie"))
    }

    @Test func `refuses a vendor it doesn't link, and names those it does`() async throws {
        let result = try await program.run(["demo", "--vendor", "acme"])
        #expect(result.exitCode == 64)
        let known = (ExpectedVendor.names + ["services"]).joined(separator: ", ")
        #expect(result.errors.contains("Unknown vendor 'acme'. Known: \(known)."))
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

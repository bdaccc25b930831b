import Foundation
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// Records that the vendor's own classes have written: `docs/vendors/evidence/forgerock-records.json`,
/// which says how. The values are those of the worked example.
@Suite struct VendorRecordTests {
    private struct Page: Decodable {
        let records: [String: String]
    }

    /// The records of one form that the vendor's SDK writes.
    private func records(_ form: String, _ names: [String]) throws -> [VendorRecord] {
        var folder = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        let file = folder.appending(path: "docs/vendors/evidence/forgerock-records.json")
        let texts = try JSONDecoder().decode(Page.self, from: Data(contentsOf: file)).records
        return try names.map { name in
            let text = try #require(texts["\(form)-\(name)"])
            guard form == "archive" else { return .json(Data(text.utf8), from: .iOS) }
            return .archive(try #require(Data(base64Encoded: text)))
        }
    }

    @Test(arguments: ["archive", "json"])
    func `what the vendor's classes write is taken, answers a push and makes codes`(
        _ form: String
    ) async throws {
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: try records(form, ["account", "push", "totp", "hotp"]))
        #expect(report.isComplete)
        #expect(report.taken.count == 3)
        #expect(report.entries.allSatisfy { $0.remarks.isEmpty })
        let notification = try await harness.notification(.challenge())
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
        let answer = try await harness.lastPost()
        #expect(answer.url == WorkedExample.authentication)
        #expect(try answer.field("Cookie") == "amlbcookie=03")
        // Computed with Python's `hmac`.
        #expect(try await harness.code("C0DE0002-0000-4000-8000-000000000002") == "247889")
        harness.clock.set(Date(timeIntervalSince1970: 1_760_000_039))
        #expect(try await harness.code("C0DE0001-0000-4000-8000-000000000001") == "90417164")
    }

    @Test(arguments: ["archive", "json"])
    func `an account that the vendor's classes have locked stays so`(_ form: String) async throws {
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: try records(form, ["locked-account", "push"]))
        #expect(report.entries.first?.remarks == [.locked("deviceTampering")])
        #expect(
            try await harness.enrollment(WorkedExample.mechanism).state
                == .blocked("deviceTampering"))
    }
}

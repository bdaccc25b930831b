import Foundation
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// Records that can't be taken: each is an entry of the report, and the store stays as it was.
@Suite struct ImportRefusalTests {
    private func report(
        on records: VendorRecord..., configuration: ForgeRock.Configuration = .init()
    ) async throws -> ImportReport {
        let harness = try ForgeRockHarness(configuration: configuration)
        let report = await harness.provider.importEnrollments(from: records)
        #expect(await harness.store.count == 0)
        #expect(await harness.transport.exchanges.isEmpty)
        return report
    }

    @Test(arguments: [
        ("bad-class-unknown", PushError.Code.unsupported), ("bad-class-foreign", .unsupported),
        ("bad-class-and-type", .malformed), ("bad-no-root", .malformed),
        ("bad-root-beyond", .malformed), ("bad-root-is-text", .malformed),
        ("bad-root-is-number", .malformed), ("bad-circle", .malformed),
        ("bad-reference-chain", .malformed), ("bad-secret-empty", .malformed),
        ("bad-secret-missing", .malformed), ("bad-secret-bytes", .malformed),
        ("bad-id-empty", .malformed), ("bad-id-number", .malformed),
        ("bad-url-http", .insecureRequest), ("bad-url-none", .malformed),
        ("bad-cookie", .malformed), ("bad-digits", .malformed), ("bad-period", .malformed),
        ("bad-algorithm", .unsupported), ("bad-counter", .malformed),
        ("bad-code-secret", .malformed), ("bad-code-secret-text", .malformed),
        ("bad-members", .malformed), ("bad-archiver", .malformed), ("bad-version", .malformed),
        ("bad-objects", .malformed), ("bad-xml", .malformed), ("bad-deep", .malformed),
    ])
    func `each bad archive is left, and the error says why`(
        name: String, code: PushError.Code
    ) async throws {
        #expect(try await report(on: StoredRecords()(name)).refusal == code)
    }

    @Test func `every archive of this test has its line`() throws {
        let names = try StoredRecords().texts.keys.filter { $0.hasPrefix("bad") }
        #expect(names.count == 29)
    }

    @Test(arguments: ["archive-push", "archive-totp", "archive-hotp", "archive-account"])
    func `an archive that is cut anywhere is left`(name: String) async throws {
        let bytes = try StoredRecords().bytes(name)
        for length in 0..<bytes.count {
            #expect(
                try await report(on: .archive(bytes.prefix(length))).refusal == .malformed)
        }
    }

    @Test(arguments: ["archive-push", "archive-hotp", "archive-account"])
    func `an archive with any byte changed is taken or left, and ends nothing`(name: String)
        async throws
    {
        let bytes = try StoredRecords().bytes(name)
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 0xFF
            let harness = try ForgeRockHarness()
            let report = await harness.provider.importEnrollments(from: [.archive(changed)])
            let isUntouched = await harness.store.count == 0
            #expect(isUntouched == report.taken.isEmpty)
        }
    }

    @Test(arguments: [
        "", "{", "[]", "7", "null", "{}", #"{"mechanisms":{}}"#, #"{"mechanismUID":7}"#,
        #"{"mechanismUID":"a","type":"pushauth"}"#, #"{"sharedSecret":""}"#,
        #"{"oathType":"totp","id":"a"}"#, #"{"mechanisms":[7]}"#,
        #"{"accountName":"jane","lock":7}"#, #"{"accountName":"jane","policies":[]}"#,
        #"{"id":"a","sharedSecret":"AAAA","serverEndpoint":"https://am.example.com/x","platform":"other"}"#,
    ])
    func `each bad JSON text is left`(text: String) async throws {
        let report = try await report(on: .json(Data(text.utf8), from: .iOS))
        let code = try #require(report.refusal)
        #expect([.malformed, .unsupported].contains(code))
    }

    @Test func `a record without its secret is left, and the reason says where it is kept`()
        async throws
    {
        let report = try await report(on: StoredRecords()("new-oath"))
        guard case .left(let error)? = report.entries.first?.result else {
            Issue.record("It was taken.")
            return
        }
        #expect(error.reason.contains("apart"))
        #expect(report.entries.first?.kind == .hotp)
    }

    @Test(arguments: ["https://am.example.com/", "otpauth://push/x?s=A", "pushauth://push/x?r=A"])
    func `a URI of another maker or without its parts is left`(text: String) async throws {
        let report = try await report(on: .uri(text, id: "a", from: .iOS))
        #expect(report.entries.count == 1)
        #expect(!report.isComplete)
    }

    @Test func `two mechanisms of one identifier are both left`() async throws {
        let records = try StoredRecords()
        let report = try await report(
            on: records("archive-push"), records("archive-push-umlaut"))
        #expect(report.entries.count == 2)
        #expect(report.taken.isEmpty)
    }

    @Test func `a host that the app doesn't allow is left`() async throws {
        let report = try await report(
            on: StoredRecords()("archive-push"),
            configuration: .init(allowedHosts: ["am.example.org"]))
        #expect(report.refusal == .invalidInvitation)
    }

    @Test(arguments: ["archive-account-lock-is-text", "bad-xml"])
    func `beside an account that can't be read nothing is taken that may be locked`(name: String)
        async throws
    {
        let records = try StoredRecords()
        let report = try await report(on: records(name), records("archive-push"))
        #expect(report.entries.count == 2)
        #expect(report.taken.isEmpty)
    }

    @Test func `one bad record hinders no other`() async throws {
        let records = try StoredRecords()
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: try [
                "archive-account", "bad-xml", "bad-class-unknown", "archive-push", "archive-totp",
            ].map { try records($0) })
        #expect(report.taken.count == 2)
        #expect(report.entries.count == 4)
        #expect(!report.isComplete)
    }

    @Test func `an account that was enrolled here keeps its enrollment`() async throws {
        let harness = try ForgeRockHarness(mechanism: "FA6A6C1C-3B3B-4B8B-9E0E-000000000000")
        try await harness.enroll(EnrollmentCode().text)
        let before = try await harness.everyRecord()
        let report = await harness.provider.importEnrollments(
            from: [try StoredRecords()("archive-push")])
        #expect(report.refusal == .alreadyEnrolled)
        #expect(try await harness.everyRecord() == before)
    }

    @Test func `another secret under a known identifier is a conflict`() async throws {
        let harness = try ForgeRockHarness()
        try await harness.enroll(EnrollmentCode().with("s", "AAAAAAAA").text)
        let report = await harness.provider.importEnrollments(
            from: [try StoredRecords()("archive-push")])
        #expect(report.refusal == .conflict)
    }

    @Test func `a store that can't be written is told, and nothing is half taken`() async throws {
        let harness = try ForgeRockHarness()
        await harness.store.refuseWrites { _ in PushError(.storage, "Full.") }
        let report = await harness.provider.importEnrollments(
            from: [try StoredRecords()("archive-push")])
        #expect(report.refusal == .storage)
        await harness.store.refuseWrites(nil)
        #expect(await harness.store.count == 0)
        #expect(
            await harness.provider.importEnrollments(
                from: [try StoredRecords()("archive-push")]
            ).isComplete)
    }

    @Test func `no secret is in the report`() async throws {
        let records = try StoredRecords()
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: try ["archive-push", "archive-hotp", "bad-code-secret-text"].map {
                try records($0)
            })
        var dumped = ""
        dump(report, to: &dumped)
        dump(try records("archive-push"), to: &dumped)
        for secret in ["J8kqWUgZ", "CAIREEY", "AA!A"] { #expect(!dumped.contains(secret)) }
    }
}

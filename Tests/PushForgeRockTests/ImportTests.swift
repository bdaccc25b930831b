import ExternalTool
import Foundation
import IndependentEncodings
import PushCore
import PushForgeRock
import PushTesting
import Testing

/// What the vendor's SDKs keep becomes enrollments: `docs/vendors/forgerock.md#taking-users-over`.
@Suite struct ImportTests {
    private static let pushes: [(String, VendorRecord.Platform)] = [
        ("archive-push", .iOS), ("legacy-push", .iOS), ("new-push", .iOS),
        ("new-push-android", .android), ("new-push-uri", .iOS),
    ]

    private static let hotp = "C0DE0002-0000-4000-8000-000000000002"
    private static let oath = "C0DE0003-0000-4000-8000-000000000003"
    private static let codes = "C0DE0001-0000-4000-8000-000000000001"
    private static let codeSecret = "CAIREEYUCULBOGAZDINRYHI6D4======"

    /// AM's codes of that secret by counter, six digits: computed with Python's `hmac`.
    private static let byCounter = ["396642", "419144", "911795", "247889", "987227"]

    @Test(.enabled(if: ExternalTool.hasPython))
    func `Python's plistlib writes the archives that are read here`() throws {
        let program = try StoredRecords.file("stored-records.py").path
        let output = try #require(ExternalTool.python.run([program]))
        let written = try JSONDecoder().decode([String: String].self, from: output)
        #expect(try written == StoredRecords().texts)
    }

    @Test(arguments: pushes)
    func `a push mechanism of each SDK verifies the next push and answers it`(
        name: String, platform: VendorRecord.Platform
    ) async throws {
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: [try StoredRecords()(name, from: platform)])
        let enrollment = try #require(report.taken.first)
        #expect(report.isComplete)
        #expect(enrollment.id == harness.enrollmentID)
        #expect(enrollment.issuer == "Example Bank")
        #expect(enrollment.account == "jane.doe@example.com")
        #expect(enrollment.host == "am.example.com")
        #expect(enrollment.port == 8443)
        #expect(enrollment.state == .active)
        #expect(await harness.transport.exchanges.isEmpty)
        let notification = try await harness.notification(.challenge())
        #expect(try await notification.accept(challengeResponse: "42") == .delivered)
        let answer = try await harness.lastPost()
        #expect(answer.url == WorkedExample.authentication)
        #expect(answer.claims["challengeResponse"] == "42")
    }

    @Test func `the time of each kind is kept`() async throws {
        let records = try StoredRecords()
        let times: [(String, VendorRecord.Platform, String, Double)] = [
            ("archive-push", .iOS, WorkedExample.mechanism, 1_760_000_000.5),
            ("legacy-push", .iOS, WorkedExample.mechanism, 1_760_000_000.5),
            ("new-push", .iOS, WorkedExample.mechanism, 1_760_000_000),
            ("new-oath", .iOS, Self.oath, 1_760_000_000.5),
        ]
        for (name, platform, id, time) in times {
            let harness = try ForgeRockHarness()
            _ = await harness.provider.importEnrollments(
                from: [try records(name, from: platform, secret: Self.codeSecret)])
            #expect(try await harness.enrollment(id).created.timeIntervalSince1970 == time)
        }
    }

    @Test func `the load balancer's cookie and AM's user name come along`() async throws {
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: [try StoredRecords()("archive-push")])
        #expect(report.entries.first?.remarks == [])
        try await harness.authenticator.deviceTokenChanged(.apns(hex: "00FF", isSandbox: false))
        let refresh = try await harness.lastPost()
        #expect(refresh.url == WorkedExample.refresh)
        #expect(try refresh.field("Cookie") == "amlbcookie=03")
        #expect(refresh.members["username"] == "jane")
    }

    @Test func `a token that AM has already isn't told again`() async throws {
        let harness = try ForgeRockHarness()
        let token = DeviceToken.apns(hex: WorkedExample.token, isSandbox: false)
        _ = await harness.provider.importEnrollments(
            from: [try StoredRecords()("archive-push")], deviceToken: token)
        #expect(try await harness.authenticator.deviceTokenChanged(token).isEmpty)
        #expect(await harness.transport.exchanges.isEmpty)
    }

    @Test func `what an old record can't tell is a remark`() async throws {
        let records = try StoredRecords()
        let legacy = try await ForgeRockHarness().provider.importEnrollments(
            from: [try records("legacy-push")])
        #expect(legacy.entries.first?.remarks == [.noUserName])
        let new = try await ForgeRockHarness().provider.importEnrollments(
            from: [try records("new-push")])
        #expect(new.entries.first?.remarks == [.endpointWithoutQuery])
    }

    @Test func `a second import changes nothing, and neither sends anything`() async throws {
        let records = try StoredRecords()
        let harness = try ForgeRockHarness()
        let all = try [
            "archive-account-locked", "archive-push", "archive-totp", "legacy-hotp",
        ].map { try records($0) }
        #expect(await harness.provider.importEnrollments(from: all).taken.count == 3)
        let before = try await harness.everyRecord()
        let again = await harness.provider.importEnrollments(from: all)
        #expect(again.taken.isEmpty)
        #expect(try await harness.everyRecord() == before)
        #expect(await harness.transport.exchanges.isEmpty)
    }

    // MARK: One-time codes

    @Test(arguments: [
        ("archive-hotp", VendorRecord.Platform.iOS, codes, 3),
        ("legacy-hotp", .iOS, hotp, 3), ("new-oath", .iOS, oath, 3),
        ("new-oath-uri", .iOS, StoredRecords.mechanism, 3),
        ("legacy-hotp", .android, hotp, 4), ("new-oath-android", .android, oath, 4),
        ("new-oath-uri", .android, StoredRecords.mechanism, 4),
    ])
    func `a counter goes on: iOS keeps the next one, Android the last one`(
        name: String, platform: VendorRecord.Platform, id: String, counter: Int
    ) async throws {
        let harness = try ForgeRockHarness()
        let record = try StoredRecords()(name, from: platform, secret: Self.codeSecret)
        let report = await harness.provider.importEnrollments(from: [record])
        #expect(report.isComplete)
        #expect(try await harness.code(id) == Self.byCounter[counter])
        // Importing again must not bring a counter back.
        let again = await harness.provider.importEnrollments(from: [record])
        #expect(again.isComplete)
        #expect(again.taken.isEmpty)
        #expect(try await harness.code(id) != Self.byCounter[counter])
    }

    @Test func `codes by time go on with their hash, digits and period`() async throws {
        let harness = try ForgeRockHarness()
        _ = await harness.provider.importEnrollments(from: [try StoredRecords()("legacy-totp")])
        // SHA-256, eight digits, 60 seconds: computed with Python's `hmac`.
        for (time, code) in [(1_759_999_979.0, "28652154"), (1_760_000_039, "90417164")] {
            harness.clock.set(Date(timeIntervalSince1970: time))
            #expect(try await harness.code(Self.codes) == code)
        }
        #expect(try await harness.enrollment(Self.codes).takesDeviceToken == false)
    }

    @Test func `Android's list is taken mechanism by mechanism`() async throws {
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: [try StoredRecords()("android-list", from: .android)])
        #expect(report.entries.map(\.kind) == [.push, .hotp])
        #expect(report.taken.count == 2)
        #expect(try await harness.code(Self.hotp) == Self.byCounter[4])
        _ = try await harness.notification(AMPush())
    }

    // MARK: Accounts

    @Test func `a locked account stays locked: no answer and no code`() async throws {
        let records = try StoredRecords()
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: try ["archive-push", "archive-hotp", "archive-account-locked"].map {
                try records($0)
            })
        #expect(report.entries.allSatisfy { $0.remarks.contains(.locked("biometricAvailable")) })
        #expect(
            try await harness.enrollment(WorkedExample.mechanism).state
                == .blocked("biometricAvailable"))
        let notification = try await harness.notification(AMPush())
        #expect(try await refusal { try await notification.accept() }.code == .blocked)
        #expect(try await refusal { try await harness.code(Self.codes) }.code == .blocked)
        #expect(
            try await harness.authenticator.refresh(harness.enrollmentID).state
                == .blocked("biometricAvailable"))
    }

    @Test(arguments: [true, false])
    func `an app that judges the policy unlocks what meets it`(isMet: Bool) async throws {
        let records = try StoredRecords()
        let harness = try ForgeRockHarness(
            configuration: .init(policies: [.deviceTampering { isMet ? 0.1 : 0.9 }]))
        let report = await harness.provider.importEnrollments(
            from: try ["legacy-push", "legacy-account-locked"].map { try records($0) })
        let enrollment = try #require(report.taken.first)
        #expect(enrollment.state == (isMet ? .active : .blocked("deviceTampering")))
    }

    @Test func `policies of an unlocked account are judged at the import`() async throws {
        let records = try StoredRecords()
        let text = try records.text("legacy-account-locked")
            .replacing(#""lock": true"#, with: #""lock": false"#)
        let harness = try ForgeRockHarness(
            configuration: .init(policies: [.deviceTampering { 0.9 }]))
        let report = await harness.provider.importEnrollments(
            from: [try records("legacy-push"), .json(Data(text.utf8), from: .iOS)])
        #expect(report.entries.first?.remarks.contains(.blocked("deviceTampering")) == true)
    }

    // MARK: Apple's keychain

    @Test func `the keychain's items make records, and a secret joins its credential`()
        async throws
    {
        let records = try StoredRecords()
        let items = [
            KeychainRecord(.accounts, account: "a", value: try records.bytes("archive-account")),
            KeychainRecord(.mechanisms, account: "b", value: try records.bytes("archive-push")),
            KeychainRecord(
                .codeSecrets, account: Self.oath, value: Data(Self.codeSecret.utf8)),
            KeychainRecord(
                .codeCredentials, account: Self.oath,
                value: Data(try records.text("new-oath").utf8)),
        ]
        let harness = try ForgeRockHarness()
        let report = await harness.provider.importEnrollments(
            from: KeychainRecord.records(in: items))
        #expect(report.isComplete)
        #expect(report.taken.count == 2)
        #expect(try await harness.code(Self.oath) == Self.byCounter[3])
        #expect(KeychainRecord.isArchive(try records.bytes("archive-push")))
        #expect(!KeychainRecord.isArchive(Data([4, 1, 2])))
    }
}

import Foundation
import IndependentEncodings
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushPlatform
import PushTesting
import Testing

/// One-time codes: `docs/vendors/forgerock.md#one-time-codes`.
@Suite struct OneTimeCodeTests {
    /// RFC 4226, appendix D: the key of the ASCII digits `12345678901234567890`, counters 0 to 9.
    private static let rfc4226 = [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
        "520489",
    ]
    private static let rfcKey = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    /// RFC 6238, appendix B: eight digits every 30 seconds, the same digits repeated to the hash's
    /// length.
    private static let rfc6238: [(algorithm: String, length: Int, codes: [String])] = [
        ("SHA1", 20, ["94287082", "07081804", "14050471", "89005924", "69279037", "65353130"]),
        ("SHA256", 32, ["46119246", "68084774", "67062674", "91819424", "90698825", "77737706"]),
        ("SHA512", 64, ["90693936", "25091201", "99943326", "93441116", "38618901", "47863826"]),
    ]
    private static let rfc6238Times: [Double] = [
        59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000,
    ]

    private func enrolled(_ text: String) async throws -> ForgeRockHarness {
        let harness = try ForgeRockHarness()
        try await harness.enroll(text, token: nil)
        return harness
    }

    private func code(_ harness: ForgeRockHarness) async throws -> String {
        try await harness.authenticator.code(for: harness.enrollmentID).text.copiedText()
    }

    private func base32(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = bytes.flatMap { byte in (0..<8).map { Int(byte >> (7 - $0) & 1) } }
        return String(
            stride(from: 0, to: bits.count, by: 5).map { start in
                let group = bits[start..<min(start + 5, bits.count)]
                let value = group.reduce(0) { $0 * 2 + $1 } << (5 - group.count)
                return alphabet[value]
            })
    }

    @Test func `codes by a counter are those of RFC 4226, one after the other`() async throws {
        let harness = try await enrolled("otpauth://hotp/Acme:jane?secret=\(Self.rfcKey)")
        for expected in Self.rfc4226 { #expect(try await code(harness) == expected) }
        #expect(await harness.transport.exchanges.isEmpty)
    }

    @Test func `the last counter that can be kept gives no code, and damages nothing`()
        async throws
    {
        let last = Int64(1) << 53 - 1
        let harness = try await enrolled(
            "otpauth://hotp/Acme:jane?secret=\(Self.rfcKey)&counter=\(last - 1)")
        _ = try await code(harness)
        for _ in 0..<2 {
            let error = await #expect(throws: PushError.self) { try await code(harness) }
            #expect(error?.code == .unsupported)
        }
    }

    @Test func `codes by time are those of RFC 6238`() async throws {
        for (algorithm, length, codes) in Self.rfc6238 {
            let key = (0..<length).map { UInt8(0x30 + ($0 + 1) % 10) }
            let harness = try await enrolled(
                "otpauth://totp/Acme:jane?secret=\(base32(key))&digits=8&algorithm=\(algorithm)")
            for (time, expected) in zip(Self.rfc6238Times, codes) {
                harness.clock.set(Date(timeIntervalSince1970: time))
                #expect(try await code(harness) == expected)
            }
        }
    }

    @Test func `a code by time says when the next one takes its place`() async throws {
        let harness = try await enrolled("otpauth://totp/Acme:jane?secret=\(Self.rfcKey)")
        harness.clock.set(Date(timeIntervalSince1970: 1_760_000_007))
        let code = try await harness.authenticator.code(for: harness.enrollmentID)
        #expect(code.expiry == Date(timeIntervalSince1970: 1_760_000_010))
        let counted = try await enrolled("otpauth://hotp/Acme:jane?secret=\(Self.rfcKey)")
        #expect(try await counted.authenticator.code(for: counted.enrollmentID).expiry == nil)
    }

    @Test(arguments: [
        ("", true), ("&b=032b75", false), ("&uid=amFuZQ", false), ("&oid=MTIz", false),
    ])
    func `a code without AM's marks may be anybody's`(marks: String, isGeneric: Bool) throws {
        let harness = try ForgeRockHarness()
        let text = "otpauth://totp/Acme:jane?secret=\(Self.rfcKey)\(marks)"
        let offers = try harness.authenticator.offers(for: .scanned(text: text))
        #expect(offers.map(\.isGeneric) == [isGeneric])
    }

    @Test func `an otpauth code is enrolled without a device token, and nothing is sent`()
        async throws
    {
        let harness = try ForgeRockHarness()
        let text = "otpauth://totp/Example%20Bank:jane@example.com?secret=\(Self.rfcKey)"
        let offer = try #require(
            try harness.authenticator.offers(for: .scanned(text: text)).first)
        #expect(offer.issuer == "Example Bank")
        #expect(offer.account == "jane@example.com")
        #expect(offer.host == nil)
        let enrollment = try await harness.authenticator.enroll(offer)
        #expect(enrollment.state == .active)
        #expect(!enrollment.takesDeviceToken)
        #expect(await harness.transport.exchanges.isEmpty)
    }

    @Test func `an enrollment of codes alone believes no push`() async throws {
        let harness = try await enrolled("otpauth://totp/Acme:jane?secret=\(Self.rfcKey)")
        let error = try await refusal { try await harness.notification(AMPush()) }
        #expect(error.code == .unknownEnrollment)
    }

    @Test func `an enrollment for pushes alone has no codes`() async throws {
        let harness = try await ForgeRockHarness.enrolled()
        #expect(try await refusal { try await code(harness) }.code == .unsupported)
    }

    @Test func `one scan enrolls pushes and codes`() async throws {
        let harness = try await ForgeRockHarness.enrolled(EnrollmentCode.combined())
        // The example's codes, computed with Python's `hmac`.
        for (time, expected) in [(1_760_000_000.0, "114091"), (1_760_000_030, "071356")] {
            harness.clock.set(Date(timeIntervalSince1970: time))
            #expect(try await code(harness) == expected)
        }
        _ = try await harness.notification(AMPush()).accept()
    }

    @Test func `a policy that isn't met keeps the codes back, too`() async throws {
        let answers = Answers([true, false, true])
        let harness = try ForgeRockHarness(
            configuration: .init(policies: [.biometricAvailable { await answers.next() }]))
        try await harness.enroll(
            EnrollmentCode.combined(policies: #"{"biometricAvailable":{}}"#).text)
        let error = try await refusal { try await code(harness) }
        #expect(error.code == .blocked)
        #expect((error.underlying as? PolicyViolation)?.policy == "biometricAvailable")
        #expect(try await code(harness).count == 6)
    }

    @Test(arguments: [
        "", "secret=", "secret=====", "secret=A!", "secret=AAAA&digits=5", "secret=AAAA&digits=x",
        "secret=AAAA&period=0", "secret=AAAA&period=99999999", "secret=AAAA&algorithm=MD5",
        "secret=AAAA&period=-1",
    ])
    func `a code that can't make codes is refused, and the reason names what is wrong`(
        query: String
    ) throws {
        let harness = try ForgeRockHarness()
        let error = try #require(throws: PushError.self) {
            _ = try harness.authenticator.offers(
                for: .scanned(text: "otpauth://totp/Acme:jane?\(query)"))
        }
        #expect(error.code == .invalidInvitation)
        #expect(error.reason.contains("parameter"))
    }

    @Test(arguments: ["push", "pipush", "yaotp", ""])
    func `an otpauth code of another type is another vendor's`(host: String) throws {
        let harness = try ForgeRockHarness()
        let text = "otpauth://\(host)/Acme:jane?secret=AAAA"
        #expect(try harness.authenticator.offers(for: .scanned(text: text)).isEmpty)
    }

    @Test func `a secret is read as the vendor's apps read it`() async throws {
        let spelled = "gezd gnbv-GY3TQOJQ%20GEZDGNBVGY3TQOJQ===="
        let harness = try await enrolled("otpauth://hotp/Acme:jane?secret=\(spelled)")
        #expect(try await code(harness) == Self.rfc4226[0])
    }

    @Test(arguments: [("totp", "totp", true), ("totp", "hotp", false), ("hotp", "hotp", true)])
    func `an account has one kind of codes once`(first: String, second: String, isRefused: Bool)
        async throws
    {
        let harness = try ForgeRockHarness()
        try await harness.enroll(
            "otpauth://\(first)/Acme:jane?secret=\(Self.rfcKey)", token: nil)
        let other = try ForgeRockHarness(
            mechanism: "FA6A6C1C-3B3B-4B8B-9E0E-000000000000", sharing: harness)
        let again = "otpauth://\(second)/Acme:jane?secret=\(Self.rfcKey)"
        if isRefused {
            let error = try await refusal { try await other.enroll(again, token: nil) }
            #expect(error.code == .alreadyEnrolled)
        } else {
            try await other.enroll(again, token: nil)
        }
    }

    @Test func `codes that came with a push enrollment aren't enrolled again, and the reverse`()
        async throws
    {
        let label = "Example%20Bank:jane.doe@example.com"
        let alone = "otpauth://totp/\(label)?secret=\(Self.rfcKey)"
        let combined = EnrollmentCode.combined().text
        for (first, second) in [(alone, combined), (combined, alone)] {
            let harness = try ForgeRockHarness()
            try await harness.enroll(first)
            let other = try ForgeRockHarness(
                mechanism: "FA6A6C1C-3B3B-4B8B-9E0E-000000000000", sharing: harness)
            #expect(try await refusal { try await other.enroll(second) }.code == .alreadyEnrolled)
        }
    }

    // MARK: The counter

    @Test func `a counter that can't be written gives no code`() async throws {
        let harness = try await enrolled("otpauth://hotp/Acme:jane?secret=\(Self.rfcKey)")
        await harness.store.refuseWrites { _ in PushError(.storage, "Full.") }
        #expect(try await refusal { try await code(harness) }.code == .storage)
        await harness.store.refuseWrites(nil)
        #expect(try await code(harness) == Self.rfc4226[0])
    }

    @Test func `two processes on one store never show one code twice`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = FileStore.KeySource { Secret(Array(repeating: 7, count: 32)) }
        let first = try await process(at: folder, key)
        let second = try await process(at: folder, key)
        let offer = try #require(
            try first.offers(
                for: .scanned(text: "otpauth://hotp/Acme:jane?secret=\(Self.rfcKey)")
            ).first)
        let id = try await first.enroll(offer).id
        let codes = await withTaskGroup(of: String?.self) { group in
            for index in 0..<10 {
                let authenticator = index.isMultiple(of: 2) ? first : second
                group.addTask { try? await authenticator.code(for: id).text.copiedText() }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(codes.compactMap { $0 }) == Set(Self.rfc4226))
    }

    /// What a process of its own has: its own view of the store.
    private func process(
        at folder: String, _ key: FileStore.KeySource
    ) async throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: ForgeRockSimulator()),
            store: try await FileStore(at: folder, key: key),
            verifier: ScriptedVerifier.willing(), device: Device(name: "Phone"))
        return PushAuthenticator(
            try PluginRegistry([ForgeRock(in: environment)]), in: environment)
    }
}

/// Says what a test wants, in order; the last word stays.
private actor Answers {
    private var all: [Bool]

    init(_ all: [Bool]) { self.all = all }

    func next() -> Bool { all.count > 1 ? all.removeFirst() : all[0] }
}

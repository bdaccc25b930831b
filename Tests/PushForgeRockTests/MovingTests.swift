import ExternalTool
import Foundation
import PushCore
import PushForgeRock
import PushForgeRockSimulator
import PushJOSE
import PushTesting
import Testing

/// Enrollments that go to another device: `docs/vendors/forgerock.md#moving-to-another-device`.
@Suite struct MovingTests {
    typealias Kind = ForgeRockSimulator.EnrollmentOptions.Kind
    private let clock = ManualClock(WorkedExample.issued)

    private func server(
        _ kind: Kind = .push, _ generation: ForgeRockSimulator.Generation = .d
    ) -> ForgeRockSimulator {
        var configuration = ForgeRockSimulator.Configuration(
            generation: generation, realm: "/alpha", issuer: "Example Bank", clock: clock)
        configuration.enrollment = .init(kind)
        return ForgeRockSimulator(configuration)
    }

    private func phone(
        _ am: ForgeRockSimulator, token: String,
        _ configuration: ForgeRock.Configuration = .init(), keyGuard: ScriptedGuard? = nil
    ) async throws -> PushAuthenticator {
        let environment = PushEnvironment(
            transport: SimulatedTransport(to: am), store: InMemoryStore(),
            verifier: ScriptedVerifier.willing(), clock: clock,
            device: Device(name: "phone", platform: .apple), keyGuard: keyGuard)
        let phone = PushAuthenticator(
            try PluginRegistry([ForgeRock(configuration: configuration, in: environment)]),
            in: environment)
        try await phone.deviceTokenChanged(.apns(hex: token, isSandbox: false))
        return phone
    }

    private func enroll(
        _ phone: PushAuthenticator, at am: ForgeRockSimulator
    ) async throws -> Enrollment.ID {
        let invitation = try await am.invitation(for: "jane")
        return try await phone.enroll(try #require(try phone.offers(for: invitation).first)).id
    }

    /// What the two devices' words on it are, and the content.
    private func move(
        _ old: PushAuthenticator, to new: PushAuthenticator
    ) async throws -> [ImportedEnrollment] {
        try await new.importEnrollments(from: try await old.export().content)
    }

    @Test(arguments: [Kind.push, .pushAndTOTP, .pushAndHOTP])
    func `pushes move with all that came by the same scan, and AM reaches the new device`(
        kind: Kind
    ) async throws {
        let am = server(kind)
        let old = try await phone(am, token: String(repeating: "0A", count: 32))
        let new = try await phone(am, token: String(repeating: "0B", count: 32))
        let id = try await enroll(old, at: am)
        var codes: [String] = []
        if kind != .push {
            codes.append(try await old.code(for: id).text.copiedText())
            #expect(try await am.logIn("jane", with: codes[0]) == .accepted)
        }
        guard case .taken? = try await move(old, to: new).first?.result else {
            Issue.record("It wasn't taken.")
            return
        }
        try await new.resume()
        #expect(try await new.deviceTokenState(of: id) == .current)
        let login = try await am.startLogin(of: "jane", asking: .confirm)
        let push = try #require(await am.takePushes().last)
        let message = try push.message()
        await #expect(throws: PushError.self) { _ = try await old.receive(message) }
        let challenge = try await new.challenge(
            try #require(try await new.receive(message).first?.challenge))
        #expect(try await new.resolve(challenge, with: .approve) == .delivered)
        #expect(try await am.status(of: login.id) == .approved)
        guard kind != .push else { return }
        clock.advance(by: .seconds(60))
        await #expect(throws: PushError.self) { _ = try await old.code(for: id) }
        let code = try await new.code(for: id).text.copiedText()
        #expect(!codes.contains(code))
        #expect(try await am.logIn("jane", with: code) == .accepted)
    }

    @Test func `codes by time are copied, codes by a counter move with it`() async throws {
        let (timed, counted) = (server(.totp), server(.hotp))
        for am in [timed, counted] {
            let old = try await phone(am, token: "0A")
            let new = try await phone(am, token: "0B")
            let id = try await enroll(old, at: am)
            let first = try await old.code(for: id).text.copiedText()
            _ = try await move(old, to: new)
            let next = try await new.code(for: id).text.copiedText()
            #expect((next == first) == (am === timed))
            #expect((try? await old.code(for: id)) != nil ? am === timed : am === counted)
            #expect(try await !#require(new.enrollment(id)).takesDeviceToken)
        }
    }

    @Test func `a counter never falls behind the one that this device knows`() async throws {
        let am = server(.hotp)
        let old = try await phone(am, token: "0A")
        let id = try await enroll(old, at: am)
        let early = try await old.export().content
        _ = try await old.importEnrollments(from: early)
        var seen: Set<String> = []
        for _ in 0..<5 { seen.insert(try await old.code(for: id).text.copiedText()) }
        _ = try await old.export()
        _ = try await old.importEnrollments(from: early)
        #expect(seen.insert(try await old.code(for: id).text.copiedText()).inserted)
    }

    @Test(arguments: [Kind.totp, .hotp, .pushAndTOTP])
    func `guarded codes leave opened by one question, and are guarded again where they arrive`(
        kind: Kind
    ) async throws {
        let am = server(kind)
        let guards = (old: ScriptedGuard(), new: ScriptedGuard())
        let old = try await phone(am, token: "0A", keyGuard: guards.old)
        let new = try await phone(am, token: "0B", keyGuard: guards.new)
        let id = try await enroll(old, at: am)
        try await old.setGuard(.deviceOwner, of: id)
        _ = try await old.exportPreview()
        #expect(await guards.old.requests.isEmpty)
        guard case .taken(let arrived)? = try await move(old, to: new).first?.result else {
            Issue.record("It wasn't taken.")
            return
        }
        #expect(await guards.old.requests.count == 1)
        #expect(arrived.guardPolicy == .deviceOwner)
        #expect(await guards.new.sealed == [.deviceOwner])
        #expect(await guards.new.requests.isEmpty)
        let code = try await new.code(for: id).text.copiedText()
        #expect(await guards.new.requests.count == 1)
        #expect(try await am.logIn("jane", with: code) == .accepted)
    }

    @Test func `guarded codes that come back are guarded again, and no counter comes twice`()
        async throws
    {
        let (am, keyGuard) = (server(.hotp), ScriptedGuard())
        let old = try await phone(am, token: "0A", keyGuard: keyGuard)
        let id = try await enroll(old, at: am)
        try await old.setGuard(.deviceOwner, of: id)
        var seen = [try await old.code(for: id).text.copiedText()]
        let content = try await old.export().content
        let asked = await keyGuard.requests.count
        guard case .taken(let back)? = try await old.importEnrollments(from: content).first?.result,
            case .known? = try await old.importEnrollments(from: content).first?.result
        else {
            Issue.record("It doesn't come back.")
            return
        }
        #expect(back.guardPolicy == .deviceOwner)
        #expect(await keyGuard.requests.count == asked)
        #expect(await keyGuard.parts.count == 1)
        seen.append(try await old.code(for: id).text.copiedText())
        #expect(await keyGuard.requests.count == asked + 1)
        #expect(seen[0] != seen[1])
    }

    @Test func `where nothing can guard them, guarded codes are left, and never taken unguarded`()
        async throws
    {
        let am = server(.totp)
        let old = try await phone(am, token: "0A", keyGuard: ScriptedGuard())
        let id = try await enroll(old, at: am)
        try await old.setGuard(.currentBiometry, of: id)
        for keyGuard in [nil, ScriptedGuard([.presence])] {
            let new = try await phone(am, token: "0B", keyGuard: keyGuard)
            guard case .left(let error)? = try await move(old, to: new).first?.result else {
                Issue.record("It was taken.")
                return
            }
            #expect(error.code == .unsupported)
            #expect(try await new.enrollments().isEmpty)
        }
    }

    @Test func `a user who opens nothing lets nothing leave, and all works as before`()
        async throws
    {
        let (am, keyGuard) = (server(.hotp), ScriptedGuard())
        let old = try await phone(am, token: "0A", keyGuard: keyGuard)
        let id = try await enroll(old, at: am)
        try await old.setGuard(.deviceOwner, of: id)
        await keyGuard.refuse(with: .cancelled)
        guard case .failed(let error)? = try await old.export().entries.first?.result else {
            Issue.record("It left.")
            return
        }
        #expect(error.code == .cancelled)
        await keyGuard.refuse(with: nil)
        let code = try await old.code(for: id).text.copiedText()
        #expect(try await am.logIn("jane", with: code) == .accepted)
    }

    @Test func `a host that this app doesn't allow is refused, as in a code to scan`()
        async throws
    {
        let am = server()
        let old = try await phone(am, token: "0A")
        _ = try await enroll(old, at: am)
        let strict = try await phone(
            am, token: "0B", .init(allowedHosts: ["am.elsewhere.example"]))
        guard case .left(let error)? = try await move(old, to: strict).first?.result else {
            Issue.record("It was taken.")
            return
        }
        #expect(error.code == .invalidInvitation)
        #expect(try await strict.enrollments().isEmpty)
    }

    @Test func `an account that is enrolled there already is left, and stays what it was`()
        async throws
    {
        let am = server()
        let old = try await phone(am, token: "0A")
        let new = try await phone(am, token: "0B")
        _ = try await enroll(old, at: am)
        let own = try await enroll(new, at: am)
        guard case .left(let error)? = try await move(old, to: new).first?.result else {
            Issue.record("It was taken.")
            return
        }
        #expect(error.code == .alreadyEnrolled)
        #expect(try await new.enrollments().map(\.id) == [own])
    }

    /// Reads a whole export, and gives what the page of decisions says is in it.
    private static let python = """
        import base64, json, struct, sys
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        def record(data):
            assert data[:3] == b"PR\\x01"
            place = 3
            def block():
                nonlocal place
                length = struct.unpack(">I", data[place:place + 4])[0]
                place += 4 + length
                return data[place - length:place]
            fields = json.loads(block())
            place += 1
            return fields, [block() for _ in range(data[place - 1])]

        file = sys.stdin.buffer.read()
        n, r, p = 2 ** file[9], file[10], file[11]
        key = Scrypt(salt=file[12:28], length=32, n=n, r=r, p=p).derive(sys.argv[1].encode())
        content = AESGCM(key).decrypt(file[28:40], file[40:], file[:40])
        records = []
        while content:
            length = struct.unpack(">I", content[:4])[0]
            records.append(record(content[4:4 + length]))
            content = content[4 + length:]
        head, entries = records[0][0], records[1:]
        assert head == {"format": 1, "count": len(entries)}, head
        print(json.dumps([
            {**fields, "secrets": [base64.b64encode(secret).decode() for secret in secrets]}
            for fields, secrets in entries
        ]))
        """

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `Python reads an export as the page has it`() async throws {
        let harness = try ForgeRockHarness()
        try await harness.enroll(
            "otpauth://hotp/Acme:jane?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", token: nil)
        for _ in 0..<3 { _ = try await harness.authenticator.code(for: harness.enrollmentID) }
        let export = try await harness.authenticator.export()
        let file = try await PasswordSeal.seal(
            export.content, under: Secret(copying: "a long password"), random: SystemRandom())
        let output = try #require(
            ExternalTool.python.run(["-c", Self.python, "a long password"], input: file))
        let entry = try #require(try JSON(parsing: output).array?.first)
        #expect(entry["provider"] == "forgerock" && entry["mode"] == "moved")
        #expect(entry["name"]?.string == harness.enrollmentID.name)
        #expect(entry["issuer"] == "Acme" && entry["account"] == "jane")
        #expect(entry["content"]?["codes"]?["counter"] == 3)
        // The key of RFC 4226, appendix D.
        let key = Data("12345678901234567890".utf8).base64EncodedString()
        // The first is the salt of the challenges' names.
        let secrets = try #require(entry["secrets"]?.array)
        #expect(Data(base64Encoded: secrets.first?.string ?? "")?.count == 16)
        #expect(secrets.dropFirst() == [.string(key)])
    }
}

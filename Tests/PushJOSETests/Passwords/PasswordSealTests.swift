import ExternalTool
import Foundation
import PushCore
import PushJOSE
import Testing

/// Files sealed under a password.
@Suite struct PasswordSealTests {
    private let password = Secret(copying: "correct horse battery")
    private let content = Secret(copying: "what leaves the device")

    /// At the least cost that is opened, so that many can be.
    private func sealed(_ content: Secret? = nil) async throws -> Data {
        try await PasswordSeal.seal(
            content ?? self.content, under: password, cost: 10, random: SystemRandom())
    }

    private func code(_ file: Data, _ password: Secret? = nil) async -> PushError.Code? {
        do throws(PushError) {
            _ = try await PasswordSeal.open(file, with: password ?? self.password)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `what is sealed at today's cost is opened by its password alone`() async throws {
        let file = try await PasswordSeal.seal(content, under: password, random: SystemRandom())
        #expect(Array(file.prefix(12)) == Array("PUSHAUTH".utf8) + [1, 17, 8, 1])
        let opened = try await PasswordSeal.open(file, with: password)
        #expect(opened.isEqualInConstantTime(to: content))
        #expect(await code(file, Secret(copying: "correct horse batterz")) == .verificationFailed)
    }

    @Test func `nothing is sealed twice the same way, and an empty content can be sealed`()
        async throws
    {
        #expect(try await sealed() != sealed())
        let empty = try await PasswordSeal.open(sealed(Secret([])), with: password)
        #expect(empty.count == 0)
    }

    @Test(arguments: ["", "seven 7"])
    func `a password that is too short is refused`(text: String) async {
        let error = await #expect(throws: PushError.self) {
            try await PasswordSeal.seal(
                content, under: Secret(copying: text), random: SystemRandom())
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a wrong password and every changed byte are refused alike`() async throws {
        let file = try await sealed()
        let wrong = try #require(await refusal(file, Secret(copying: "another password")))
        for index in file.indices where index != 8 {
            for change: UInt8 in [0x01, 0x80] {
                var changed = file
                changed[index] ^= change
                let refused = try #require(await refusal(changed, password), "byte \(index)")
                #expect(refused.description == wrong.description, "byte \(index)")
            }
        }
    }

    @Test func `a file that is cut off, longer, or another is refused alike`() async throws {
        let file = try await sealed()
        for end in 0..<file.count { #expect(await code(file[..<end]) == .verificationFailed) }
        #expect(await code(file + [0]) == .verificationFailed)
        #expect(await code(Data("{}".utf8)) == .verificationFailed)
    }

    @Test func `a newer version says so, and an impossible one doesn't`() async throws {
        var file = try await sealed()
        file[8] = 2
        #expect(await code(file) == .unsupportedRecord)
        file[8] = 0
        #expect(await code(file) == .verificationFailed)
    }

    @Test(arguments: [0, 9, 19, 30, 63, 255] as [UInt8])
    func `a cost that would hold the device up isn't tried`(cost: UInt8) async throws {
        var file = try await sealed()
        file[9] = cost
        let began = ContinuousClock.now
        #expect(await code(file) == .verificationFailed)
        #expect(ContinuousClock.now - began < .seconds(1))
    }

    private func refusal(_ file: Data, _ password: Secret) async -> PushError? {
        do throws(PushError) {
            _ = try await PasswordSeal.open(file, with: password)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Another implementation

    /// Opens a file, or seals standard input, by Python's `cryptography`.
    private static let python = """
        import os, struct, sys
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        MAGIC = b"PUSHAUTH"

        def key(password, header):
            _, log_n, r, p = struct.unpack("4B", header[8:12])
            return Scrypt(salt=header[12:28], length=32, n=2**log_n, r=r, p=p).derive(password)

        def open_export(file, password):
            header = file[:40]
            assert header[:9] == MAGIC + b"\\x01"
            return AESGCM(key(password, header)).decrypt(header[28:40], file[40:], header)

        def seal_export(content, password, log_n):
            header = MAGIC + bytes([1, log_n, 8, 1]) + os.urandom(28)
            return header + AESGCM(key(password, header)).encrypt(header[28:40], content, header)

        password = sys.argv[2].encode()
        data = sys.stdin.buffer.read()
        if sys.argv[1] == "open":
            sys.stdout.buffer.write(open_export(data, password))
        else:
            sys.stdout.buffer.write(seal_export(data, password, int(sys.argv[3])))
        """

    @Test(.enabled(if: ExternalTool.hasCryptography))
    func `Python opens what Swift seals, and Swift what Python seals`() async throws {
        let text = password.copiedText()
        for file in [
            try await sealed(),
            try await PasswordSeal.seal(content, under: password, random: SystemRandom()),
        ] {
            let opened = ExternalTool.python.run(["-c", Self.python, "open", text], input: file)
            #expect(opened == Data(content.copiedText().utf8))
        }
        let theirs = try #require(
            ExternalTool.python.run(
                ["-c", Self.python, "seal", text, "14"], input: Data(content.copiedText().utf8)))
        let ours = try await PasswordSeal.open(theirs, with: password)
        #expect(ours.isEqualInConstantTime(to: content))
    }
}

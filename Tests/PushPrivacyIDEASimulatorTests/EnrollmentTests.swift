import CryptoExtras
import Foundation
import PushCore
import PushPrivacyIDEASimulator
import PushTesting
import Testing

/// Codes, and the devices that use them.
@Suite struct EnrollmentTests {
    @Test func `a code says what the policies say`() async throws {
        let bench = Bench {
            $0.gateway = .pollOnly
            $0.usesPIAScheme = true
            $0.appUnlock = "biometric"
            $0.image = "https://pi.example.com/logo.png"
            $0.issuer = "Example Bank"
            $0.codeLifetime = 3
            $0.asksToVerifyTLS = false
            $0.forcesAppPIN = true
        }
        let code = try Code(try await bench.server.enrollmentURI(for: "ada", serial: "T_1"))
        #expect(code.text.hasPrefix("pia://pipush/T_1?url=https%3A//pi.example.com/ttype/push&"))
        let expected = [
            "ttl": "3", "issuer": "Example Bank", "v": "1", "serial": "T_1", "sslverify": "0",
            "poll_only": "True", "pin": "True", "app_force_unlock": "biometric",
            "image": "https://pi.example.com/logo.png",
        ]
        for (name, value) in expected { #expect(code[name] == value, "\(name)") }
        #expect(code["enrollment_credential"]?.count == 40)
    }

    @Test func `a server before 3.11 doesn't say whether a token is for polls alone`() async throws
    {
        let bench = Bench(.v39)
        let code = try Code(try await bench.server.enrollmentURI(for: "ada"))
        #expect(code["poll_only"] == nil)
        #expect(code["serial"]?.wholeMatch(of: /PIPU[0-9]{4}[0-9A-F]{4}/) != nil)
    }

    @Test func `what a release doesn't have isn't offered`() async throws {
        for change in [
            { $0.usesPIAScheme = true }, { $0.appUnlock = "any" }, { $0.gateway = .http },
        ] as [@Sendable (inout PrivacyIDEASimulator.Configuration) -> Void] {
            let bench = Bench(.v39)
            await bench.server.configure(change)
            let error = await #expect(throws: PushError.self) {
                try await bench.server.invitation(for: "ada")
            }
            #expect(error?.code == .unsupported)
        }
    }

    @Test(arguments: ["", "a b", "ä", "a|b"])
    func `a serial has letters, digits and two signs`(serial: String) async throws {
        let bench = Bench()
        let error = await #expect(throws: PushError.self) {
            try await bench.server.enrollmentURI(for: "ada", serial: serial)
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test(arguments: [
        ("enrollment_credential", String(repeating: "0", count: 40), "400/905"),
        ("enrollment_credential", nil, "400/905"), ("fbtoken", nil, "400/905"),
        ("pubkey", nil, "400/905"), ("serial", "PIPU9", "404/601"),
    ])
    func `a wrong request is refused, and the code can still be used`(
        field: String, value: String?, refusal: String
    ) async throws {
        let bench = Bench()
        let code = try Code(try await bench.server.enrollmentURI(for: "ada"))
        let phone = try Phone(serial: code["serial"] ?? "")
        #expect(await bench.enroll(phone, code, [field: value]).refusal == refusal)
        #expect(await bench.enroll(phone, code).isYes)
    }

    @Test func `a code is spent by one device`() async throws {
        let bench = Bench()
        let code = try Code(try await bench.server.enrollmentURI(for: "ada"))
        let phone = try Phone(serial: code["serial"] ?? "")
        let reply = await bench.enroll(phone, code)
        #expect(reply.json?["detail"]?["serial"]?.string == phone.serial)
        let lines = try #require(reply.json?["detail"]?["public_key"]?.string)
        #expect(lines.split(separator: "\n").dropLast().allSatisfy { $0.utf8.count == 64 })
        #expect(await bench.enroll(phone, code).refusal == "404/601")
        let tokens = await bench.server.tokens(of: "ada")
        #expect(tokens.map(\.serial) == [phone.serial])
        #expect(tokens.first?.deviceToken == .fcm("dA1:APA91b_x-Y"))
        #expect(tokens.first?.isUsable == true)
    }

    @Test func `a locked token isn't enrolled`() async throws {
        let bench = Bench()
        let code = try Code(try await bench.server.enrollmentURI(for: "ada"))
        let phone = try Phone(serial: code["serial"] ?? "")
        await bench.server.setLocked(true, token: phone.serial)
        #expect(await bench.enroll(phone, code).refusal == "400/1007")
        await bench.server.setLocked(false, token: phone.serial)
        #expect(await bench.enroll(phone, code).isYes)
    }

    @Test(arguments: ["PKCS#1", "PEM", "nothing readable"])
    func `any text is taken for a key, and every request after it fails`(
        form: String
    ) async throws {
        let bench = Bench()
        let code = try Code(try await bench.server.enrollmentURI(for: "ada"))
        let phone = try Phone(serial: code["serial"] ?? "")
        let text =
            switch form {
            case "PKCS#1": phone.key.publicKey.pkcs1DERRepresentation.base64EncodedString()
            case "PEM": phone.key.publicKey.pemRepresentation
            default: form
            }
        #expect(await bench.enroll(phone, code, ["pubkey": text]).isYes)
        #expect(await bench.server.tokens(of: "ada").first?.isUsable == false)
        #expect(try await bench.poll(phone).refusal == "500/-500")
        #expect(try await bench.answer(phone, "N").refusal == "500/-500")
    }

    @Test func `a key in the other alphabet is the same key`() async throws {
        let bench = Bench()
        let code = try Code(try await bench.server.enrollmentURI(for: "ada"))
        let phone = try Phone(serial: code["serial"] ?? "")
        let url = phone.publicKey.replacing("+", with: "-").replacing("/", with: "_")
        #expect(await bench.enroll(phone, code, ["pubkey": url]).isYes)
        #expect(try await bench.listed(phone).isEmpty)
    }

    @Test func `until a second code of a token is used, its old keys count; then the new ones do`()
        async throws
    {
        // Two keys of its own: the pool that all tests share may give the old one again.
        let bench = Bench { $0.serverKeys = .pool(of: 2) }
        let old = try await bench.enrolled(serial: "T1")
        let (_, fields, nonce) = try await bench.login()
        let code = try Code(try await bench.server.enrollmentURI(for: "ada", serial: "T1"))
        #expect(try await bench.listed(old).count == 1)
        let new = try Phone(serial: "T1", key: 1)
        #expect(await bench.enroll(new, code).isYes)
        #expect(try await bench.poll(old).refusal == "400/10")
        #expect(try await bench.answer(old, nonce).isNo)
        // The challenge is listed again, signed by the new key of the server.
        let again = try #require(try await bench.listed(new).first)
        #expect(again["nonce"] == fields["nonce"])
        #expect(again["signature"] != fields["signature"])
        #expect(try await bench.answer(new, nonce).isYes)
    }

    @Test func `a serial of another user is refused`() async throws {
        let bench = Bench()
        try await bench.enrolled(serial: "T1")
        let error = await #expect(throws: PushError.self) {
            try await bench.server.enrollmentURI(for: "bob", serial: "T1")
        }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `a token that no device enrolled has nothing to poll`() async throws {
        let bench = Bench()
        let code = try Code(try await bench.server.enrollmentURI(for: "ada"))
        #expect(try await bench.poll(Phone(serial: code["serial"] ?? "")).refusal == "500/-500")
        let error = await #expect(throws: PushError.self) {
            try await bench.server.startLogin(of: "ada", asking: .confirm)
        }
        #expect(error?.code == .notFound)
    }
}

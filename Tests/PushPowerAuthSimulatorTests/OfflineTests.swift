import Crypto
import Foundation
import PushCore
import PushPowerAuthSimulator
import PushTesting
import Testing

/// QR codes for devices without a network.
struct OfflineTests {
    typealias Request = PowerAuthSimulator.OfflineRequest

    private let bench = Bench()

    private var request: Request {
        Request(
            operation: "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6", title: "Pay\\now",
            message: "Line 1\nLine 2", data: "A1*A100CZK*ICZ2730300000001165254011*D20180425")
    }

    @Test func `a code has its lines and its key's signature`() async throws {
        let phone = try await bench.active()
        for key in [PowerAuthSimulator.OfflineKey.master, .personalized] {
            var request = request
            request.key = key
            request.flags = "BX"
            let code = try await bench.server.createOfflineCode(request, for: phone.id)
            let lines = code.text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(
                lines.dropLast() == [
                    "5ff1b1ed-a3cc-45a3-8ab0-ed60950312b6", "Pay\\\\now", "Line 1\\nLine 2",
                    "A1*A100CZK*ICZ2730300000001165254011*D20180425", "BX", Substring(code.nonce),
                ])
            let last = try #require(lines.last)
            #expect(last.first == (key == .master ? "0" : "1"))
            let public65 = key == .master ? phone.app.masterKey : phone.serverKey
            let signer = try P256.Signing.PublicKey(
                x963Representation: public65.x963Representation)
            let signature = try P256.Signing.ECDSASignature(
                derRepresentation: b64(String(last.dropFirst())))
            let signed = code.text.dropLast(last.count - 1)
            #expect(signer.isValidSignature(signature, for: Data(signed.utf8)))
            #expect(code.password == nil)
        }
    }

    @Test func `a password and future lines stand before the nonce`() async throws {
        let phone = try await bench.active()
        var request = request
        request.hasPassword = true
        request.futureLines = ["news"]
        let code = try await bench.server.createOfflineCode(request, for: phone.id)
        let lines = code.text.split(separator: "\n").map(String.init)
        #expect(lines.count == 9)
        #expect(lines[5] == code.password)
        #expect(code.password?.utf8.count == 8)
        #expect(lines[6...7] == ["news", code.nonce])
        let signature = phone.offline("possession_knowledge", code.text)
        #expect(
            try await bench.server.verifyOfflineSignature(signature, of: code.id)
                == .accepted(.possessionKnowledge))
    }

    @Test func `a signature counts as any other`() async throws {
        let phone = try await bench.active()
        let code = try await bench.server.createOfflineCode(request, for: phone.id)
        let wrong = try await bench.server.verifyOfflineSignature(
            "00000000-00000000", of: code.id)
        #expect(wrong == .refused)
        #expect(try await bench.record(phone).failedAttempts == 1)
        phone.advance(2)
        let signature = phone.offline("possession_knowledge", code.text)
        #expect(
            try await bench.server.verifyOfflineSignature(signature, of: code.id)
                == .accepted(.possessionKnowledge))
        #expect(try await bench.record(phone).failedAttempts == 0)
        #expect(try await bench.record(phone).counter == 3)
        #expect(
            try await bench.server.verifyOfflineSignature(signature, of: code.id) == .refused)
        #expect(try await bench.validate(phone).status == 200)
    }

    @Test func `biometry signs if the flag lets it`() async throws {
        let phone = try await bench.active()
        var request = request
        for (flags, verdict) in [
            ("XB", PowerAuthSimulator.OfflineVerdict.accepted(.possessionBiometry)),
            ("", .refused),
        ] {
            request.flags = flags
            let code = try await bench.server.createOfflineCode(request, for: phone.id)
            let signature = phone.offline("possession_biometry", code.text)
            #expect(
                try await bench.server.verifyOfflineSignature(signature, of: code.id) == verdict)
        }
    }

    @Test(arguments: [4, 6])
    func `a server may ask for fewer digits`(digits: Int) async throws {
        await bench.server.configure { $0.offlineDigits = digits }
        let phone = try await bench.active()
        let code = try await bench.server.createOfflineCode(request, for: phone.id)
        let long = phone.offline("possession_knowledge", code.text)
        #expect(try await bench.server.verifyOfflineSignature(long, of: code.id) == .refused)
        let short = phone.offline("possession_knowledge", code.text, digits: digits)
        #expect(try await bench.server.verifyOfflineSignature(short, of: code.id) != .refused)
    }

    @Test func `a stale password and a blocked activation are refused`() async throws {
        let phone = try await bench.active()
        var request = request
        request.hasPassword = true
        let code = try await bench.server.createOfflineCode(request, for: phone.id)
        let signature = phone.offline("possession_knowledge", code.text)
        bench.clock.advance(by: .seconds(60))
        #expect(
            try await bench.server.verifyOfflineSignature(signature, of: code.id) == .refused)
        #expect(try await bench.record(phone).failedAttempts == 0)
        let fresh = try await bench.server.createOfflineCode(self.request, for: phone.id)
        try await bench.server.block(phone.id)
        let late = phone.offline("possession_knowledge", fresh.text)
        #expect(try await bench.server.verifyOfflineSignature(late, of: fresh.id) == .refused)
        #expect(try await bench.record(phone).failedAttempts == 0)
        await #expect(throws: PushError.self) {
            try await bench.server.verifyOfflineSignature(late, of: "none")
        }
    }
}

import Crypto
import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct SignedActivationCodeTests {
    /// Of powerauth-crypto, `verify-activation-data-signature-v3.json` #0.
    private static let code = "GYA4L-D4C7K-OP2NV-USYYQ"
    private static let signature =
        "MEYCIQCihC0iR9m/y0Kq+GcK75DFQVIInekVIWjqw3+QJtilYQIhALHZGVGij7ADgt3xOLZiTBxueIikC8zi8jQaMrDzDkCN"
    private let application: PowerAuthApplication

    init() throws {
        application = try Self.application(
            "BBIopY8zZ4nV02QHS4nGMXsqZUP94jrvR59MvLXtAINmG4VqqcBWo2DnIAevHAt5/TElIAP0TZP6kVcNt824EfQ="
        )
    }

    private static func application(_ masterKey: String) throws -> PowerAuthApplication {
        try PowerAuthApplication(
            key: "lbNrg+B157tbojC487941A==", secret: Secret(copying: "5to+u5pcUeAl7GPu7fNmug=="),
            masterPublicKey: Sample.data(masterKey))
    }

    private func verdict(of text: String) -> PushError.Code? {
        Sample.refusal { try SignedActivationCode(scanned: text).verify(by: application) }
    }

    private func verdict(signature: Data) -> PushError.Code? {
        verdict(of: "\(Self.code)#\(signature.base64EncodedString())")
    }

    @Test func `the vendor's signed code is read and believed`() throws {
        let scanned = try SignedActivationCode(scanned: "\(Self.code)#\(Self.signature)")
        #expect(scanned.code.text == Self.code)
        try scanned.verify(by: application)
    }

    @Test func `another code with the same signature is not believed`() {
        #expect(verdict(of: "W65WE-3T7VI-7FBS2-A4OYA#\(Self.signature)") == .untrusted)
    }

    @Test func `another application's server is not believed`() throws {
        // The master key of powerauth-cmd-tool, `docs/Readme.md`.
        let other = try Self.application(
            "BHO1o6a6GH1EWHRAxMezsEkdAOQPuRzRoFF8fBenk9yjniIXLMO7TeT6GTe5t7CrraplDwa0harXA5JkMSk185Q="
        )
        let scanned = try SignedActivationCode(scanned: "\(Self.code)#\(Self.signature)")
        #expect(Sample.refusal { try scanned.verify(by: other) } == .untrusted)
    }

    @Test func `a scanned code without a signature is refused`() {
        for text in [
            Self.code, Self.code + "#", Self.code + "##", Self.code + "#\(Self.signature)#",
            Self.code + "##\(Self.signature)", "#\(Self.signature)", "#", "",
            Self.code.lowercased() + "#\(Self.signature)", Self.code + "#\(Self.signature)\n",
            Self.code + "# \(Self.signature)", Self.code + "#" + Self.signature.dropLast(),
            // As a link's parser would leave them behind.
            Self.code + "%23\(Self.signature)",
            // One `Character` each, but several bytes.
            Self.code + "#\u{301}\(Self.signature)", Self.code + "\r\n#\(Self.signature)",
        ] {
            #expect(verdict(of: text) == .invalidInvitation, "\(text)")
        }
    }

    @Test func `a signature in any other form is no signature`() throws {
        let der = try Sample.data(Self.signature)
        let raw = try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation
        // A number with a needless zero before it.
        var padded = der
        padded[1] += 1
        padded[3] += 1
        padded.insert(0, at: 4)
        for signature in [raw, der + [0], der.dropLast(), padded, Data([0x30, 0]), Data([0])] {
            #expect(verdict(signature: signature) == .untrusted, "\(Array(signature))")
        }
    }

    @Test func `every byte of a signature counts`() throws {
        let der = try Sample.data(Self.signature)
        for index in der.indices {
            var changed = der
            changed[index] ^= 1
            #expect(verdict(signature: changed) == .untrusted)
        }
    }

    @Test func `a recovery code isn't taken for an activation code`() {
        #expect(verdict(of: "R:W65WE-3T7VI-7FBS2-A4OYA") == .unsupported)
        #expect(verdict(of: "R:\(Self.code)#\(Self.signature)") == .unsupported)
    }

    @Test func `texts are told apart by their shape alone`() {
        for text in [
            Self.code, "\(Self.code)#\(Self.signature)", "\(Self.code)#", "R:\(Self.code)",
            "00000-00000-00000-00000", Self.code.lowercased(),
        ] {
            #expect(SignedActivationCode.hasShape(of: text), "\(text)")
        }
        for text in [
            "", "#", "https://example.com/", "otpauth://totp/x?secret=AAAA", "R:",
            "R:R:\(Self.code)",
            "GYA4L-D4C7K-OP2NV", "GYA4L D4C7K OP2NV USYYQ", " \(Self.code)", Self.code + "\n",
            "GYA4LD4C7KOP2NVUSYYQ", "GYA4L-D4C7K-OP2NV-USYY\u{C9}", "------------------------#",
        ] {
            #expect(!SignedActivationCode.hasShape(of: text), "\(text)")
        }
    }
}

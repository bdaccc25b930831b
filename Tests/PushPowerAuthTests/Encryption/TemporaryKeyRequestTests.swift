import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushPowerAuth

struct TemporaryKeyRequestTests {
    private let challenge = Wire.base64(0..<18)

    /// The tokens were computed by two independent programs; the vendor publishes none.
    @Test func `a request token of an application is the example's, character by character`()
        throws
    {
        let request = TemporaryKeyRequest(
            try Wire.scope(inActivation: false), challenge: challenge)
        #expect(
            try request.token() == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
                + "eyJhcHBsaWNhdGlvbktleSI6ImxiTnJnK0IxNTd0Ym9qQzQ4Nzk0MUE9PSIsImNoYWxsZW5nZSI6"
                + "IkFBRUNBd1FGQmdjSUNRb0xEQTBPRHhBUiJ9.xJbTK6R34743M-L17ZLiFx9vDKDBs0Ljg2T2SGNUeGo"
        )
    }

    @Test func `a request token of an activation names it second, and has the published code`()
        throws
    {
        let request = TemporaryKeyRequest(
            try Wire.scope(inActivation: true), challenge: challenge)
        let parts = try request.token().split(separator: ".")
        #expect(parts.count == 3)
        #expect(parts[0] == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9")
        #expect(
            parts[1]
                == Wire.base64url(
                    (#"{"applicationKey":"lbNrg+B157tbojC487941A==","#
                        + #""activationId":"6ae8cd16-67a7-4840-8d37-33d9aab6ea51","#
                        + #""challenge":"AAECAwQFBgcICQoLDA0ODxAR"}"#).utf8))
        #expect(parts[2] == "ElDVSJcne7etAq1NZ6ocbl4rN8d70LRERXEAkf541ZA")
    }

    @Test func `each challenge is 18 bytes from the source`() throws {
        let scope = try Wire.scope(inActivation: false)
        let bytes = [UInt8](100..<118)
        #expect(
            TemporaryKeyRequest(scope, random: ScriptedRandom(bytes)).challenge
                == Wire.base64(bytes))
        let many = (0..<50).map { _ in
            TemporaryKeyRequest(scope, random: SystemRandom()).challenge
        }
        #expect(Set(many).count == 50)
    }

    @Test func `the token depends on the transport key in activation scope alone`() throws {
        let application = try Wire.application()
        func code(_ seed: UInt64) throws -> Substring? {
            let scope = EncryptionScope.activation(
                application, activationID: Wire.activationID,
                transportKey: SeededRandom(seed: seed).bytes(16))
            return try TemporaryKeyRequest(scope, challenge: challenge).token()
                .split(separator: ".").last
        }
        #expect(try code(1) == code(1))
        #expect(try code(1) != code(2))
    }
}

import Foundation
import PushCore
import PushTesting
import Testing

@testable import PushForgeRockSimulator

struct EnvelopeTests {
    @Test func `SNS gets one text per platform, JSON inside JSON`() throws {
        let push = LoginPush(
            configuration: .init(generation: .c), type: .biometric, messageID: "AUTHENTICATE:1",
            text: "Log in?", token: "a.b.c")
        let envelope = push.envelope
        #expect(
            envelope.object?.members.map(\.name) == ["default", "GCM", "APNS", "APNS_SANDBOX"])
        #expect(envelope["default"] == "Log in?")
        #expect(envelope["APNS"] == envelope["APNS_SANDBOX"])
        let google = #"{"priority":"high","data":{"message":"a.b.c","messageId":"AUTHENTICATE:1"}}"#
        #expect(envelope["GCM"]?.string == google)
        let sandbox = try LoginPush.payload(
            from: envelope, for: .apns(hex: "AA", isSandbox: true))
        #expect(String(decoding: sandbox, as: UTF8.self) == envelope["APNS"]?.string)
    }

    @Test func `an envelope without a platform's text can't be delivered there`() {
        for token in [DeviceToken.apns(hex: "AA", isSandbox: false), .fcm("AA")] {
            #expect(throws: PushError.self) { try LoginPush.payload(from: [:], for: token) }
        }
    }

    @Test(arguments: [
        ([], ""), ([0x66], "MY======"), ([0x66, 0x6F], "MZXQ===="),
        ([0x66, 0x6F, 0x6F], "MZXW6==="),
        (Array("foobar".utf8), "MZXW6YTBOI======"),
    ])
    func `one-time-code secrets are written as RFC 4648 section 10 has them`(
        bytes: [UInt8], text: String
    ) {
        #expect(Base32.encode(bytes) == text)
    }

    @Test(arguments: ["A", "AA==", "+A", "/A", "A A", "A.", "AAAAA"])
    func `a token's part is unpadded base64url or nothing`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}

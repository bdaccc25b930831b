import PushCore
import PushJOSE
import Testing

@testable import PushPowerAuth

@Suite struct ProximityLinkTests {
    private func found(_ text: String) -> [String]? {
        ProximityLink(text, type: .deeplink).map { link in
            [link.operation, link.otp.withBytes { String(decoding: $0, as: UTF8.self) }]
        }
    }

    private static func token(_ payload: String) -> String {
        let header = Base64.encode(Array(#"{"alg":"none"}"#.utf8), as: .url)
        return header + "." + Base64.encode(Array(payload.utf8), as: .url) + ".c2ln"
    }

    private static let payload = #"{"oid":"5b753d0d","totp":"12345678","x":1}"#

    @Test(arguments: [
        "mtoken://login?oid=5b753d0d&totp=12345678",
        "https://a.example/?totp=12345678&oid=5b753d0d",
        "mtoken://login?oid=5b753d0d&potp=12345678&lang=cs",
        "mtoken://login?oid=5b753d0d&totp=12345678&potp=0#top",
        "mtoken://login?%6Fid=5b75%33d0d&totp=1234567%38",
        "mtoken://login?code=" + token(payload), token(payload),
        token(#"{"oid":"5b753d0d","potp":"12345678"}"#),
        "mtoken://login?code=" + token(payload).replacing(".", with: "%2E"),
    ])
    func `operation and code are found`(_ text: String) {
        #expect(found(text) == ["5b753d0d", "12345678"])
    }

    @Test(arguments: [
        "", "?", "oid=5b753d0d&totp=12345678", "mtoken://login?oid=5b753d0d",
        "mtoken://login?totp=12345678", "mtoken://login?oid=&totp=1", "mtoken://login?oid=1&totp=",
        "mtoken://login?oid=1&oid=2&totp=3", "mtoken://login?oid=1&totp=2&%74otp=3",
        "mtoken://login?oid=1&totp=%G0", "mtoken://login?oid=1&totp=%2",
        "mtoken://login?oid=%ff&totp=1",
        "mtoken://login#?oid=1&totp=2", "mtoken://login?oid&totp=2",
        "mtoken://login?OID=1&TOTP=2",
        "mtoken://login?code=" + token(payload) + "&more=1", token("[]"), token("{}"),
        token(#"{"oid":1,"totp":"2"}"#), token(#"{"oid":"1","oid":"2","totp":"3"}"#),
        token(payload) + ".x", "a.b", "https://bank.example/activate?code=AAAAA-AAAAA-AAAAA-AAAAA",
        "mtoken://login?oid=1&totp=" + String(repeating: "1", count: 9000),
    ])
    func `anything else is not one`(_ text: String) {
        #expect(found(text) == nil)
    }

    @Test func `a question mark with a combining mark is still one`() {
        #expect(found("mtoken://login?\u{301}x=1&oid=1&totp=2") == ["1", "2"])
    }

    @Test func `a code keeps what it is on its way`() throws {
        let link = try #require(ProximityLink("x?oid=Id&totp=01", type: .qrCode))
        let code = ReceivedProximityCode(link, at: .seconds(5) + .milliseconds(250))
        let read = try #require(ReceivedProximityCode(code.context))
        #expect(read.operation == "Id")
        #expect(read.type == .qrCode)
        #expect(read.received == .milliseconds(5250))
        #expect(read.otp.isEqualInConstantTime(to: Secret("01".utf8)))
        #expect(ReceivedProximityCode(AnnouncedForm.operation.context) == nil)
        #expect(ReceivedProximityCode(Secret("oid".utf8)) == nil)
    }
}

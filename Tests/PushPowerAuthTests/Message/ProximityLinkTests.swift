import PushCore
import PushJOSE
import Testing

@testable import PushPowerAuth

@Suite struct ProximityLinkTests {
    private func found(_ text: String) -> [String]? {
        ProximityLink(text, type: .deeplink).map { link in
            [link.operation, link.otp.copiedText()]
        }
    }

    private static func token(_ payload: String) -> String {
        let header = Base64.encode(Array(#"{"alg":"none"}"#.utf8), as: .url)
        return header + "." + Base64.encode(Array(payload.utf8), as: .url) + ".c2ln"
    }

    private static let id = "5b753d0d-d59a-49b7-bec4-eae258566dbb"
    private static let payload = #"{"oid":"\#(id)","totp":"12345678","x":1}"#

    @Test(arguments: [
        "mtoken://login?oid=\(id)&totp=12345678", "https://a.example/?totp=12345678&oid=\(id)",
        "mtoken://login?oid=\(id)&potp=12345678&lang=cs",
        "mtoken://login?oid=\(id)&totp=12345678&potp=0#top",
        "mtoken://login?%6Fid=%35\(id.dropFirst())&totp=1234567%38",
        "mtoken://login?code=" + token(payload), token(payload),
        token(#"{"oid":"\#(id)","potp":"12345678"}"#),
        "mtoken://login?code=" + token(payload).replacing(".", with: "%2E"),
    ])
    func `operation and code are found`(_ text: String) {
        #expect(found(text) == [Self.id, "12345678"])
    }

    @Test(arguments: [
        "", "?", "oid=\(id)&totp=12345678", "mtoken://login?oid=\(id)",
        "mtoken://login?totp=12345678", "mtoken://login?oid=&totp=1",
        "mtoken://login?oid=\(id)&totp=", "mtoken://login?oid=\(id)&oid=\(id)&totp=3",
        "mtoken://login?oid=\(id)&totp=2&%74otp=3", "mtoken://login?oid=\(id)&totp=%G0",
        "mtoken://login?oid=\(id)&totp=%2", "mtoken://login?oid=\(id)&totp=1&x=%ff",
        "mtoken://login#?oid=\(id)&totp=2", "mtoken://login?oid&totp=2",
        "mtoken://login?OID=\(id)&TOTP=2",
        "mtoken://login?code=" + token(payload) + "&more=1", token("[]"), token("{}"),
        token(#"{"oid":1,"totp":"2"}"#), token(#"{"oid":"\#(id)","oid":"\#(id)","totp":"3"}"#),
        token(payload) + ".x", "a.b", "https://bank.example/activate?code=AAAAA-AAAAA-AAAAA-AAAAA",
        "mtoken://login?oid=\(id)&totp=" + String(repeating: "1", count: 9000),
    ])
    func `anything else is not one`(_ text: String) {
        #expect(found(text) == nil)
    }

    @Test(arguments: [
        "1", "5b753d0d", id.replacing("-", with: ""), "{\(id)}", "urn:uuid:\(id)", " " + id,
        id.replacing("d0d", with: "g0d"), id.replacing("-", with: "\u{2010}"), id + "0",
        id.replacing("d59a-49b7", with: "d59-a49b7"),
    ])
    func `an operation that is no UUID makes it another app's link`(_ operation: String) {
        #expect(found("mtoken://login?oid=\(operation)&totp=1") == nil)
        #expect(found(Self.token(#"{"oid":"\#(operation)","totp":"1"}"#)) == nil)
    }

    @Test func `an operation's letters keep their case`() {
        let upper = Self.id.uppercased()
        #expect(found("mtoken://login?oid=\(upper)&totp=1") == [upper, "1"])
    }

    @Test func `a question mark with a combining mark is still one`() {
        #expect(found("mtoken://login?\u{301}x=1&oid=\(Self.id)&totp=2") == [Self.id, "2"])
    }

    @Test func `a code keeps what it is on its way`() throws {
        let link = try #require(ProximityLink("x?oid=\(Self.id)&totp=01", type: .qrCode))
        let code = ReceivedProximityCode(link, at: .seconds(5) + .milliseconds(250))
        let read = try #require(ReceivedProximityCode(Secret.Record(reading: code.context)))
        #expect(read.operation == Self.id)
        #expect(read.type == .qrCode)
        #expect(read.received == .milliseconds(5250))
        #expect(read.otp.isEqualInConstantTime(to: Secret("01".utf8)))
        let none = try Secret.Record(reading: AnnouncedForm.operation(nil).context)
        #expect(ReceivedProximityCode(none) == nil)
    }
}

import PushCore
import PushTesting
import Testing

@testable import PushPrivacyIDEA

/// Codes that enroll: `docs/vendors/privacyidea.md#the-code`.
@Suite struct InvitationTests {
    /// One code of the examples, and what must be read of it.
    struct Example: Sendable, CustomTestStringConvertible {
        let uri: String
        let expected: JSON

        var testDescription: String { uri }

        static func all(_ group: String) -> [Example] {
            let entries = (try? Vectors())?["invitations", group]?.array ?? []
            return entries.compactMap { entry in
                guard let uri = entry["uri"]?.string, let expected = entry["expected"] else {
                    return nil
                }
                return Example(uri: uri, expected: expected)
            }
        }
    }

    private static let good = Example.all("good")
    private static let bad = Example.all("bad")

    private func read(
        _ text: String, _ configuration: PrivacyIDEA.Configuration = .init()
    ) throws(PushError) -> PipushInvitation? {
        try PipushInvitation(text, for: configuration)
    }

    @Test func `there are 16 good codes and 19 bad ones`() {
        #expect(Self.good.count == 16)
        #expect(Self.bad.count == 19)
    }

    @Test(arguments: good)
    func `every part of a good code is read`(example: Example) throws {
        let code = try #require(try read(example.uri))
        let expected = example.expected
        #expect(code.label == expected["label"]?.string)
        #expect(code.issuer == expected["issuer"]?.string)
        #expect(code.url.text == expected["url"]?.string)
        #expect(code.url.shortOrigin == expected["origin"]?.string)
        #expect(code.serial == expected["serial"]?.string)
        let credential = code.credential.withBytes { String(decoding: $0, as: UTF8.self) }
        #expect(credential == expected["credential"]?.string)
        #expect(code.lifetime == .seconds((expected["ttlMinutes"]?.integer ?? 0) * 60))
        #expect(code.isPollOnly == expected["pollOnly"]?.bool)
        let unlock = expected["unlock"]?.string
        #expect(code.unlock?.rawValue == unlock)
    }

    @Test(arguments: bad)
    func `a bad code is refused by the parameter's name, or is somebody else's`(
        example: Example
    ) throws {
        let expected = try #require(example.expected.string)
        guard expected != "notOurs" else {
            #expect(try read(example.uri) == nil)
            return
        }
        let name = try #require(expected.split(separator: " ").last)
        let error = #expect(throws: PushError.self) { try read(example.uri) }
        #expect(error?.code == .invalidInvitation)
        #expect(error?.reason.contains("\"\(name)\"") == true)
    }

    @Test func `sslverify=0 is refused, and where the app allows it TLS is verified all the same`()
        throws
    {
        let text = EnrollmentCode(["sslverify": "0"]).text
        let error = #expect(throws: PushError.self) { try read(text) }
        #expect(error?.reason.contains("asks not to verify TLS") == true)
        var configuration = PrivacyIDEA.Configuration()
        configuration.enrollsDespiteSSLVerifyOff = true
        let code = try #require(try read(text, configuration))
        #expect(code.url.isSecure)
    }

    @Test func `a code leads to a named host over TLS, or to one that the app allows`() throws {
        for url in ["http%3A//pi.example.com/p", "https%3A//127.0.0.1/p", "https%3A//localhost/p"] {
            #expect(throws: PushError.self) { try read(EnrollmentCode(["url": url]).text) }
        }
        var local = PrivacyIDEA.Configuration()
        local.allowsPlainHTTP = true
        local.allowsLocalHosts = true
        let text = EnrollmentCode(["url": "http%3A//127.0.0.1%3A5001/ttype/push"]).text
        #expect(try read(text, local)?.url.shortOrigin == "http://127.0.0.1:5001")
        var chosen = PrivacyIDEA.Configuration()
        chosen.allowedHosts = ["other.example.com"]
        #expect(throws: PushError.self) { try read(EnrollmentCode().text, chosen) }
        chosen.allowedHosts = ["pi.example.com"]
        #expect(try read(EnrollmentCode().text, chosen) != nil)
    }

    @Test(arguments: [
        "serial": "P%C3%9C1", "v": "01", "ttl": "1e9", "poll_only": "maybe", "pin": "2",
        "label": "", "url": "https%3A//pi.example.com%5C%40evil.example/",
    ])
    func `what isn't in a parameter's form is refused`(name: String, value: String) throws {
        guard name != "label" else {
            #expect(throws: PushError.self) { try read("otpauth://pipush/%ff?v=1") }
            return
        }
        #expect(throws: PushError.self) { try read(EnrollmentCode([name: value]).text) }
    }

    @Test func `a code longer than 4096 bytes is refused`() throws {
        let fits = EnrollmentCode(["issuer": String(repeating: "x", count: 3500)])
        #expect(try read(fits.text) != nil)
        let text = EnrollmentCode(["issuer": String(repeating: "x", count: 4096)]).text
        #expect(throws: PushError.self) { try read(text) }
    }

    @Test func `an offer shows issuer, account and host, and nothing is sent`() async throws {
        let harness = try await ScriptedHarness()
        let code = EnrollmentCode(["issuer": "Ex%C3%A4mple%20Bank"]).text
        let offer = try #require(
            try harness.authenticator.offers(for: .scanned(text: code)).first)
        #expect(offer.issuer == "Exämple Bank")
        #expect(offer.account == "ada")
        #expect(offer.host == "pi.example.com")
        #expect(offer.asks.isEmpty)
        #expect(await harness.transport.exchanges.isEmpty)
    }

    @Test func `a code that was scanned longer ago than its ttl isn't used`() async throws {
        let harness = try await ScriptedHarness()
        let code = Invitation.scanned(text: EnrollmentCode(["ttl": "2"]).text)
        let late = try #require(try harness.authenticator.offers(for: code).first)
        harness.clock.advance(by: .seconds(121))
        let error = try await refusal { _ = try await harness.authenticator.enroll(late) }
        #expect(error.code == .invitationSpent)
        #expect(await harness.transport.exchanges.isEmpty)
        let timely = try #require(try harness.authenticator.offers(for: code).first)
        harness.clock.advance(by: .seconds(119))
        #expect(try await harness.authenticator.enroll(timely).state == .active)
    }
}

import Foundation
import HTTPTypes
import PushCore
import Testing

@testable import PushCapture

/// What a capture shows of an error's sentence.
@Suite(.timeLimit(.minutes(2))) struct CaptureSentenceTests {
    @Test(arguments: [
        (
            "The reply of am.example.com:8443 is larger than allowed.",
            "The reply of <host#1>:<port#2> is larger than allowed."
        ),
        ("No answer from 192.0.2.7.", "No answer from <host#1>."),
        ("No answer from [2001:db8::1]:443, twice.", "No answer from <host#1>:<port#2>, twice."),
        ("intranet:8443 gives no token.", "<host#1>:<port#2> gives no token."),
        ("It asks for TLS 1.2 at least.", "It asks for TLS 1.2 at least."),
        ("The member 'iat' is 1790000000.", "The member … is …."),
    ])
    func `names of servers become marks`(sentence: String, shown: String) {
        var redaction = CaptureRedaction()
        #expect(redaction.sentence(sentence) == shown)
    }

    /// One `Character` of half a million marks takes the square of that to compare or to hash.
    @Test(
        arguments: ["", "a.b.", "https://a.example/"], [nil, "application/x-www-form-urlencoded"])
    func `what a stranger replies is written down in time that grows with its length`(
        start: String, type: String?
    ) {
        let text = start + String(repeating: "\u{327}\u{301}", count: 250_000)
        var response = HTTPResponse(status: .ok, headerFields: [.location: text])
        response.headerFields[.contentType] = type
        var redaction = CaptureRedaction()
        let shown = redaction.response(response, Data(text.utf8))
        #expect(shown["body"] != nil && JSON.object(shown).data.count < 20_000)
    }

    @Test func `a server that was asked is known without a dot, and has one mark everywhere`()
        throws
    {
        var redaction = CaptureRedaction()
        let request = HTTPRequest(
            method: .get, scheme: "https", authority: "Intranet:8443", path: "/")
        let shown = redaction.request(request, Data())
        let host = try #require(shown["url"]?["url"]?["host"]?.string)
        #expect(host.hasPrefix("<host#"))
        #expect(redaction.sentence("Intranet, or intranet, is gone.").hasPrefix(host))
        #expect(!redaction.sentence("intranet is gone.").contains("intranet"))
    }
}

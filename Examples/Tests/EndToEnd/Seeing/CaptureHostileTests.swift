import Foundation
import HTTPTypes
import PushCore
import Testing

@testable import PushCapture

/// What a capture makes of bodies that aren't what they say.
struct CaptureHostileTests {
    private func body(_ text: String, of type: String) -> JSON? {
        var redaction = CaptureRedaction()
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: type])
        return redaction.response(response, Data(text.utf8))["body"]
    }

    @Test(arguments: ["<html>a b</html>", "%zz=%", "\u{FEFF}{}", "a=b c", "\u{315}\u{316}"])
    func `a body that only calls itself a form is shown as marks, and the process goes on`(
        text: String
    ) {
        let form = body(text, of: "application/x-www-form-urlencoded")?["form"]?.object
        #expect(form?.members.isEmpty == false)
        #expect(form?.members.allSatisfy { $0.value.string?.hasPrefix("<") == true } == true)
    }

    /// The media type has the first mark.
    @Test func `a form's fields are decoded, and those of one name are a list`() {
        let form = body(
            "message=a+b%20c&message=HS256&%6Eonce=OK&&x",
            of: "application/x-www-form-urlencoded; charset=utf-8")?["form"]
        #expect(form?["message"] == ["<text#2/5>", "HS256"])
        #expect(form?["nonce"] == "OK")
        #expect(form?["x"] == "<empty#3/0>")
    }

    @Test func `two spellings that Unicode calls one have two marks`() {
        var marks = Marks()
        #expect(marks.mark("caf\u{E9}") == "<text#1/5>")
        #expect(marks.mark("cafe\u{301}") == "<text#2/6>")
        #expect(marks.mark("caf\u{E9}") == "<text#1/5>")
    }

    @Test func `what only a few digits and a mark make is no digit`() {
        var marks = Marks()
        #expect(marks.mark("1234\u{301}").hasPrefix("<text#"))
        #expect(marks.mark("1234") == "<digits#2/4>")
    }
}

import Foundation
import Testing

@testable import PushPowerAuth

/// Section 4.1 of our protocol notes.
@Suite struct QueryTextTests {
    private func text(_ parameters: [(name: String, value: String)]) -> String {
        String(decoding: QueryText.body(parameters), as: UTF8.self)
    }

    @Test func `parameters are sorted by name, then by value`() {
        #expect(
            text([("b", "1"), ("a", "2"), ("B", "0"), ("a", "10"), ("a", "")])
                == "B=0&a=&a=10&a=2&b=1")
        #expect(text([]).isEmpty)
    }

    @Test func `they are sorted before they are encoded`() {
        // Encoded, `{` would begin with % and come before `a`.
        #expect(text([("{", "1"), ("a", "1")]) == "a=1&%7B=1")
    }

    @Test func `UTF-16 decides, not Unicode`() {
        // U+FF5E comes before U+1F600 in Unicode, after its first half in UTF-16.
        #expect(
            text([("\u{FF5E}", ""), ("\u{1F600}", "")]) == "%F0%9F%98%80=&%EF%BD%9E=")
        // Equal as strings, but not the same: NFD comes first.
        #expect(text([("\u{E9}", "1"), ("e\u{301}", "2")]) == "e%CC%81=2&%C3%A9=1")
    }

    @Test func `they are encoded as Java encodes forms`() {
        #expect(
            text([("azAZ09-_.*", " ~!'()%&=+/é\n")])
                == "azAZ09-_.*=+%7E%21%27%28%29%25%26%3D%2B%2F%C3%A9%0A")
    }
}

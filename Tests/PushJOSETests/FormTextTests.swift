import PushCore
import PushJOSE
import Testing

struct FormTextTests {
    @Test func `a form escapes all but the unreserved, and is read back`() throws {
        let form = FormText([("a", "x y+%2B|é&=~-._"), ("b", "")])
        #expect(form.text == "a=x%20y%2B%252B%7C%C3%A9%26%3D~-._&b=")
        #expect(form.data.elementsEqual(form.text.utf8))
        let again = try #require(FormText(form.text))
        #expect(again["a"] == "x y+%2B|é&=~-._" && again["b"] == "" && again["c"] == nil)
        for broken in ["a", "a=%", "a=%4", "a=%zz", "a=%ff", "", "a=1&"] {
            #expect(FormText(broken) == nil)
        }
    }

    @Test func `a name is found by its bytes, not by what looks the same`() {
        let form = FormText([("e\u{301}", "two"), ("\u{e9}", "one")])
        #expect(form["\u{e9}"] == "one" && form["e\u{301}"] == "two")
    }

    @Test func `a plus sign is a space where the reader says so`() {
        #expect(PercentText.decoded("a+b%2B") == "a+b+")
        #expect(PercentText.decoded("a+b%2B", plusIsSpace: true) == "a b+")
    }

    @Test func `what isn't percent-encoded UTF-8 has no text`() {
        for text in ["%", "%4", "%4g", "%ff", "%C3", "%C3%28", "%u0041"] {
            #expect(PercentText.decoded(text[...]) == nil)
        }
        #expect(PercentText.encoded("%zz\u{0}") == "%25zz%00")
    }
}

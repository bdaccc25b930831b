import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct HeaderTextTests {
    @Test func `pairs are written in their order`() throws {
        #expect(
            try HeaderText.write([("b", "1="), ("a", "")]) == #"PowerAuth b="1=", a="""#)
        #expect(try HeaderText.write([]) == "PowerAuth")
    }

    @Test(arguments: [
        "a\"", "\"", "a\\", "a b", "a\r\nX: y", "a\n", "\u{0}", "\u{7F}", "é", "a\u{301}",
    ])
    func `a value that would end its quotes or the header is refused`(value: String) {
        #expect(
            Sample.refusal { _ = try HeaderText.write([("a", "1"), ("b", value)]) }
                == .invalidArgument)
    }
}

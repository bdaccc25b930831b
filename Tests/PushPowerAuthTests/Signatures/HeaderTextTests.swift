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
        (0...6, "PowerAuth"), (7...10, #"PowerAuth b="6""#), (11...16, #"PowerAuth a="12345""#),
        (17...30, #"PowerAuth a="12345", b="6""#),
    ])
    func `what has no room isn't written, and the text isn't taken for a whole one`(
        rooms: ClosedRange<Int>, expected: String
    ) {
        for room in rooms {
            let (text, isWhole) = HeaderText.write(room: room) { header in
                header.put("a", "12345")
                header.put("b", checked: "6")
            }
            #expect(text == expected, "\(room)")
            #expect(isWhole == (room >= 17), "\(room)")
        }
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

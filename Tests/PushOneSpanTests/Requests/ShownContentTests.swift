import PushCore
import Testing

@testable import PushOneSpan

/// What of a request the user sees, and whether that is all of it.
@Suite struct ShownContentTests {
    /// Longer than any field shows.
    private static let long = String(repeating: "x", count: 3_000)

    @Test(arguments: [
        DisplayContent.Field("Amount", long), .init("Amount", long + "…"),
        .init(long, "100.00 EUR"), .init(long + "…", "100.00 EUR"),
        .init("Amount", String(repeating: "\u{200B}", count: 10) + long + "…"),
    ])
    func `what is cut off isn't whole, even if it ends like something cut off`(
        field: DisplayContent.Field
    ) {
        let shown = ShownContent(.fields([.init("To", "DE89"), field]))
        #expect(!shown.isWhole)
    }

    @Test(arguments: [
        DisplayContent.none, .text("Sign in…"), .text("…"), .fields([.init("Amount", "")]),
        .fields([.init("Amount…", "100.00 EUR…")]), .text("a\u{200B}b"),
    ])
    func `what is short is whole, also if it ends like something cut off`(
        content: DisplayContent
    ) {
        #expect(ShownContent(content).isWhole)
    }

    @Test func `a long text goes on in the next field, behind a blank`() {
        let text = String(repeating: "100 000 EUR ", count: 341)
        let shown = ShownContent(.text(text))
        #expect(shown.isWhole)
        #expect(shown.fields.count == 2)
        #expect(shown.fields.map(\.value).joined() == text)
        #expect(shown.fields.map(\.label) == ["", ""])
        #expect(shown.fields.map(\.value.last) == [" ", " "])
    }

    @Test(arguments: ["x", "é", "e\u{301}", "👩‍👩‍👧", "\u{FDFD}", "x\r\n"])
    func `a text without blanks is broken between its characters`(character: String) {
        let text = String(repeating: character, count: 4_096 / character.utf8.count)
        let shown = ShownContent(.text(text))
        #expect(shown.isWhole)
        #expect(shown.fields.map(\.value).joined() == text.replacing("\r\n", with: "\n"))
        let characters = Set(text.replacing("\r\n", with: "\n"))
        #expect(shown.fields.flatMap(\.value).filter { !characters.contains($0) }.isEmpty)
    }
}

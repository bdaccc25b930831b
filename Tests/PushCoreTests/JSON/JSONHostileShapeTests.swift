import Foundation
import PushCore
import Testing

/// Megabytes of one shape, which a reader of quadratic time would read for minutes.
struct JSONHostileShapeTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var head = ""
        let unit: @Sendable (Int) -> String
        var count = 1
        var tail = ""
        var refusal: JSON.Failure.Kind?

        var text: String { head + (0..<count).lazy.map(unit).joined(separator: ",") + tail }
    }

    /// Marks that any order-preserving comparison has to sort.
    private static func marks(_ bytes: Int) -> String {
        String(repeating: "\u{315}\u{316}", count: bytes / 4)
    }

    /// Marks in an order that says a number: each such text is equivalent to none of the others, and
    /// differs from them far from its start.
    private static func marks(numbered number: Int) -> String {
        marks(128) + (0..<16).map { number >> $0 & 1 == 0 ? "\u{300}" : "\u{301}" }.joined()
    }

    private static func object(
        _ name: String, _ count: Int, _ refusal: JSON.Failure.Kind? = nil, tail: String = "}",
        unit: @escaping @Sendable (Int) -> String
    ) -> Shape {
        Shape(
            testDescription: name, head: "{", unit: unit, count: count, tail: tail, refusal: refusal
        )
    }

    private static func array(
        _ name: String, _ count: Int, unit: @escaping @Sendable (Int) -> String
    ) -> Shape {
        Shape(testDescription: name, head: "[", unit: unit, count: count, tail: "]")
    }

    static let shapes: [Shape] = [
        object("many names", 60_000) { "\"name \($0)\":0" },
        object("many names that aren't ASCII", 40_000) { "\"é\($0)\":0" },
        object("many names of many marks", 5_000) { "\"\(marks(numbered: $0))\":0" },
        object("one of many names twice", 40_000, .duplicateName, tail: ",\"é17\":0}") {
            "\"é\($0)\":0"
        },
        object(
            "one of many names in two spellings", 40_000, .duplicateName, tail: ",\"e\u{301}17\":0}"
        ) { "\"é\($0)\":0" },
        object("a few names of nothing but marks", 16, .tooManyMarks) {
            "\"\(marks(256 * 1024))\($0)\":0"
        },
        object("names of marks, written as escapes", 16, .tooManyMarks) {
            "\"" + String(repeating: #"\u0315\u0316"#, count: 16 * 1024) + "\($0)\":0"
        },
        object("many names of not quite as many marks", 8_000, .nameTooLong) {
            "\"\(marks(512))\($0)\":0"
        },
        object("a few long names in ASCII", 15) {
            "\"" + String(repeating: "n", count: 64 * 1024) + "\($0)\":0"
        },
        object("many long names in ASCII", 250) {
            "\"" + String(repeating: "n", count: 4 * 1024) + "\($0)\":0"
        },
        array("objects of a few names", 20_000) { _ in #"{"a":0,"b":0,"é":0,"e":0}"# },
        array("deep nesting", 15_000) { _ in
            String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        },
        array("long numbers", 2_000) { _ in "0." + String(repeating: "7", count: 510) },
        Shape(
            testDescription: "a number of a megabyte",
            unit: { _ in String(repeating: "7", count: 1 << 20) }, refusal: .invalidNumber),
        array("strings of marks", 2048) { _ in "\"\(marks(512))\"" },
        Shape(
            testDescription: "a string of a megabyte of marks",
            unit: { _ in "\"\(marks(1 << 20))\"" }, refusal: .tooManyMarks),
        array("escapes", 16) { _ in
            "\"" + String(repeating: #"\ud83d\ude00\n\u0301"#, count: 3_000) + "\""
        },
    ]

    @Test(arguments: shapes)
    func `megabytes of one shape are read, or refused for what they are`(_ shape: Shape) throws {
        let text = shape.text
        let limits = JSON.Limits(bytes: .max)
        if let refusal = shape.refusal {
            let error = try #require(throws: PushError.self) {
                try JSON(parsing: text, limits: limits)
            }
            #expect(error.code == .malformed)
            #expect((error.underlying as? JSON.Failure)?.kind == refusal)
        } else {
            let value = try JSON(parsing: text, limits: limits)
            #expect((value.object?.count ?? value.array?.count) == shape.count)
            let found = value.object?.members.allSatisfy { value[$0.name] == $0.value }
            #expect(found != false)
            // Whatever the text, to compare it ends soon.
            #expect(value.array?.contains("\u{316}") != true)
        }
    }

    @Test func `as many members as there are can be removed, one by one`() throws {
        let count = 100_000
        let text = "{" + (0..<count).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"
        var object = try #require(try JSON(parsing: text, limits: .init(bytes: .max)).object)
        for number in 0..<count - 3 { object["\(number)"] = nil }
        #expect(object.members.map(\.name) == ["99997", "99998", "99999"])
        #expect(object["99998"] == 99_998 && object["99996"] == nil)
        for number in count - 3..<count { object["\(number)"] = nil }
        #expect(object.isEmpty && object.members.isEmpty && JSON.object(object).text == "{}")
    }
}

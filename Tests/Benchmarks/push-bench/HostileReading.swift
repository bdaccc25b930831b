import Foundation
import Harness
import PushCore

/// The strict reader on texts that are made to cost much, each shape in four sizes: its time per byte
/// may not depend on how long a text is.
func hostileReading() -> [Comparison] {
    HostileShape.all.map { shape in
        var comparison = Comparison("JSON, hostile: \(shape.name)")
        for (size, name) in [
            (1 << 12, "4 KiB"), (1 << 16, "64 KiB"), (1 << 20, "1 MiB"), (1 << 22, "4 MiB"),
        ] {
            let text = shape.text(size)
            let limits = JSON.Limits(bytes: text.count)
            comparison.add(name, bytes: text.count) {
                keep(try? JSON(parsing: text, limits: limits))
            }
        }
        return comparison
    }
}

/// A text of any size, and all of it is read: what is refused is at its end.
private struct HostileShape: Sendable {
    let name: String
    var head = "["
    var tail = "]"
    var separator = ","
    let unit: @Sendable (Int) -> String

    func text(_ size: Int) -> Data {
        var text = Data(head.utf8)
        var number = 0
        while text.count < size {
            if number > 0 { text.append(contentsOf: separator.utf8) }
            text.append(contentsOf: unit(number).utf8)
            number += 1
        }
        return text + Data(tail.utf8)
    }

    /// One string, name or number that fills the text.
    static func filled(_ name: String, head: String, tail: String, with piece: String) -> Self {
        let unit = String(repeating: piece, count: 1000 / piece.utf8.count)
        return HostileShape(name: name, head: head, tail: tail, separator: "") { _ in unit }
    }

    static func object(
        _ name: String, tail: String = "}", _ unit: @escaping @Sendable (Int) -> String
    ) -> Self {
        HostileShape(name: name, head: "{", tail: tail) { "\"\(unit($0))\":0" }
    }

    /// Marks that a comparison by Unicode's equivalence has to sort, here once.
    private static let marks = String(repeating: "\u{315}\u{316}", count: 60)

    static let all: [HostileShape] = [
        .object("many names") { "name \($0)" },
        .object("many names, not ASCII") { "é\($0)" },
        .object("many names of marks") { "\(marks)\($0)" },
        .object("many long names") { "\(String(repeating: "n", count: 500))\($0)" },
        .object("an equivalent name at the end", tail: ",\"e\u{301}0\":0}") { "é\($0)" },
        .filled("a name of marks", head: #"{""#, tail: #"":0}"#, with: "\u{315}\u{316}"),
        .filled("a name, long", head: #"{""#, tail: #"":0}"#, with: "n"),
        .filled("a string of marks", head: #"""#, tail: #"""#, with: "\u{315}\u{316}"),
        .filled("a string of escapes", head: #"""#, tail: #"""#, with: #"\ud83d\ude00\n\u0301"#),
        HostileShape(name: "small objects") { _ in #"{"a":0,"b":0,"é":0}"# },
        HostileShape(name: "deep nesting") { _ in
            String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        },
        HostileShape(name: "long numbers") { _ in "0." + String(repeating: "7", count: 500) },
        .filled("a number, long", head: "", tail: "", with: "7"),
    ]
}

import Foundation
import PushCore
import PushTesting
import Testing

/// Properties that hold for any value, tried with a generator that repeats.
struct JSONPropertyTests {
    private static let alphabet: [Unicode.Scalar] = [
        "a", "b", "\"", "\\", "/", "\u{0}", "\u{1}", "\u{1F}", "\u{8}", "\t", "\n", "\r", "\u{7F}",
        "é", "\u{301}", "€", "😀", "\u{10FFFF}", "\u{FEFF}", "\u{2028}", "{", "]",
    ]

    private func text(_ random: inout SeededRandom) -> String {
        var view = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            view.append(Self.alphabet.randomElement(using: &random) ?? "a")
        }
        return String(view)
    }

    private func value(_ random: inout SeededRandom, depth: Int = 0) -> JSON {
        switch Int.random(in: 0...(depth < 5 ? 7 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .number(.init(Int64(truncatingIfNeeded: random.next())))
        case 3: return .number(.init(Int64.random(in: -9...9, using: &random)))
        case 4:
            let double = Double(bitPattern: random.next())
            return JSON.Number(double).map(JSON.number) ?? .null
        case 5: return .string(text(&random))
        case 6:
            let count = Int.random(in: 0...4, using: &random)
            return .array((0..<count).map { _ in value(&random, depth: depth + 1) })
        default:
            let count = Int.random(in: 0...20, using: &random)
            return .object(
                JSON.Object(
                    (0..<count).map { _ in (text(&random), value(&random, depth: depth + 1)) }))
        }
    }

    @Test func `whatever is written is read as the same value`() throws {
        var random = SeededRandom(seed: 8259)
        for _ in 0..<500 {
            let value = value(&random)
            let text = value.text
            let again = try JSON(parsing: text, limits: .init(bytes: 1 << 24))
            #expect(again == value)
            #expect(again.text == text)
        }
    }

    @Test func `every truncation of a document is refused`() {
        let document = Self.document
        for count in 0..<document.count {
            #expect(throws: PushError.self) { try JSON(parsing: Data(document.prefix(count))) }
        }
    }

    @Test func `a corrupted byte gives a value or a refusal, never a trap`() throws {
        let document = Self.document
        var refused = 0
        for position in document.indices {
            for byte in UInt8.min...UInt8.max {
                var corrupt = document
                corrupt[position] = byte
                if (try? JSON(parsing: Data(corrupt))) == nil { refused += 1 }
            }
        }
        #expect(refused > document.count * 100)
        #expect(refused < document.count * 256)
    }

    @Test func `members can be set, replaced and removed, few or many`() {
        var object: JSON.Object = [:]
        var model: [String: Int64] = [:]
        var random = SeededRandom(seed: 7)
        for step in 0..<2000 {
            let name = "\(Int.random(in: 0..<40, using: &random))"
            if Bool.random(using: &random) {
                object[name] = .number(.init(Int64(step)))
                model[name] = Int64(step)
            } else {
                object[name] = nil
                model[name] = nil
            }
            #expect(object.count == model.count)
            #expect(object[name]?.integer == model[name])
        }
        for (name, value) in model { #expect(object[name]?.integer == value) }
    }

    @Test func `members keep their order, whatever is removed between them`() {
        var object: JSON.Object = [:]
        var model: [(name: String, value: Int64)] = []
        var random = SeededRandom(seed: 11)
        for step in 0..<3000 {
            let name = "\(Int.random(in: 0..<60, using: &random))"
            let position = model.firstIndex { $0.name == name }
            if Int.random(in: 0..<3, using: &random) > 0, let position {
                object[name] = nil
                model.remove(at: position)
            } else {
                object[name] = .number(.init(Int64(step)))
                if let position {
                    model[position].value = Int64(step)
                } else {
                    model.append((name, Int64(step)))
                }
            }
            #expect(object.members.map(\.name) == model.map(\.name))
            #expect(object.members.map(\.value.integer) == model.map(\.value))
            #expect(object.count == model.count && object.isEmpty == model.isEmpty)
        }
    }

    @Test(arguments: [0, 1, 40])
    func `of two spellings of one name the one set last stands`(others: Int) {
        var object = JSON.Object((0..<others).map { ("\($0)", 0) })
        object["caf\u{E9}"] = 1
        object["cafe\u{301}"] = 2
        #expect(object["cafe\u{301}"] == 2 && object["caf\u{E9}"] == nil)
        #expect(object.count == others + 1)
        #expect(object.members.last?.name.utf8.elementsEqual("cafe\u{301}".utf8) == true)
        object["K"] = 3
        object["\u{212A}"] = 4
        #expect(object["K"] == nil && object["\u{212A}"] == 4 && object.count == others + 2)
        object["caf\u{E9}"] = nil
        #expect(object["cafe\u{301}"] == nil && object.count == others + 1)
        object["K"] = nil
        #expect(object.count == others)
    }

    @Test func `names of more than 256 bytes are told apart by their bytes`() {
        let long = String(repeating: "a", count: 254)
        let object: JSON.Object = ["\(long)\u{E9}e": 1, "\(long)e\u{301}e": 2]
        #expect(object.count == 2)
        #expect(object["\(long)\u{E9}e"] == 1 && object["\(long)e\u{301}e"] == 2)
        let short = String(repeating: "a", count: 250)
        #expect((["\(short)\u{E9}": 1, "\(short)e\u{301}": 2] as JSON.Object).count == 1)
    }

    @Test func `equal objects have equal hashes, in any order`() {
        let one: JSON = ["a": 1, "b": [2]]
        let other: JSON = ["b": [2], "a": 1]
        #expect(one == other)
        #expect(Set([one, other]).count == 1)
        #expect(one != ["a": 1, "b": [3]])
        #expect(one != ["a": 1])
    }

    private static let document = Array(
        #"{"a":[1,-2.5e3,true,null],"b\n\u00e9":"x😀\ud83d\ude00","c":{"d":{}}}"#.utf8)
}

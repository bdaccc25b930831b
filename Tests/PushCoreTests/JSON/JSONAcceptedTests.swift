import Foundation
import PushCore
import Testing

/// What the strict reader takes, and what it makes of it.
struct JSONAcceptedTests {
    @Test(
        arguments: [
            ("null", JSON.null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("-7", -7),
            (" \t\r\n1\n", 1), ("\"\"", ""), ("[]", []), ("[ ]", []), ("{}", [:]), ("{ \n}", [:]),
            ("[1,2 , 3]", [1, 2, 3]), ("[[],[[]]]", [[], [[]]]),
            (#"{"a":1,"b":[true,null]}"#, ["a": 1, "b": [true, nil]]),
            (#"{ "a" : { "a" : "a" } }"#, ["a": ["a": "a"]]),
            (#"{"":0}"#, ["": 0]),
            (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{C}\n\r\t")),
            (#""\u0041\u00e9\u00E9\u20ac\u0000""#, .string("A\u{e9}\u{e9}\u{20ac}\u{0}")),
            (#""\ud83d\ude00 \uD83D\uDE00""#, "😀 😀"),
            (#""\udbff\udfff""#, .string("\u{10FFFF}")),
            ("\"\u{7F}\"", .string("\u{7F}")), ("\"é€😀\u{10FFFF}\"", .string("é€😀\u{10FFFF}")),
            (
                "\"\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\"",
                .string("\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}")
            ),
            ("\"\u{FEFF}\"", .string("\u{FEFF}")),
            ("\"/* no comment */\"", "/* no comment */"),
        ] as [(String, JSON)])
    func `every form of RFC 8259 is read`(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
        #expect(try JSON(parsing: Data(text.utf8)) == value)
        let lent = try Array(text.utf8).withUnsafeBytes { try JSON(parsing: $0) }
        #expect(lent == value)
    }

    @Test(
        arguments: [
            ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil),
            ("9007199254740993", 9_007_199_254_740_993),
            ("1.0", 1), ("1e2", 100), ("1E+2", 100), ("10e-1", 1), ("-2.50e1", -25), ("0.5", nil),
            ("9007199254740991.0", 9_007_199_254_740_991),
            ("9007199254740991e0", 9_007_199_254_740_991),
            ("9007199254740992.0", nil), ("9007199254740993.0", nil), ("-9007199254740992.0", nil),
            ("-0.0", 0), ("1e308", nil), ("1e-5", nil),
        ] as [(String, Int64?)])
    func `a number counts as an integer only where that is exact`(text: String, value: Int64?)
        throws
    {
        #expect(try JSON(parsing: text).integer == value)
    }

    @Test(
        arguments: [
            ("0.5", 0.5), ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
            ("5e-324", Double.leastNonzeroMagnitude), ("-1e-3", -0.001), ("3", 3),
            ("9223372036854775808", 9_223_372_036_854_775_808),
        ] as [(String, Double)])
    func `every number has a nearest double`(text: String, value: Double) throws {
        #expect(try JSON(parsing: text).double == value)
    }

    @Test func `a number of 512 characters is read`() throws {
        #expect(try JSON(parsing: "1" + String(repeating: "0", count: 300)).double == 1e300)
        #expect(try JSON(parsing: "0." + String(repeating: "0", count: 510)).double == 0)
    }

    @Test func `no infinity and no not-a-number becomes a number`() {
        #expect(JSON.Number(.infinity) == nil)
        #expect(JSON.Number(.nan) == nil)
        #expect(JSON.Number(1.5)?.double == 1.5)
    }

    @Test func `members keep their order and are found by name`() throws {
        let names = (0..<40).map { "name\($0)" }.reversed()
        let text = "{" + names.map { "\"\($0)\":\"\($0)\"" }.joined(separator: ",") + "}"
        let object = try #require(try JSON(parsing: text).object)
        #expect(object.members.map(\.name) == Array(names))
        for name in names { #expect(object[name] == .string(name)) }
        #expect(object["name40"] == nil)
    }

    @Test func `a member is found by its exact name only`() throws {
        let kelvin = try JSON(parsing: "{\"\u{212A}\":1}")
        #expect(kelvin["K"] == nil)
        #expect(kelvin["\u{212A}"] == 1)
    }

    @Test func `accessors tell a value of another kind from none`() throws {
        let value: JSON = ["s": "x", "b": true, "n": 1, "a": [1], "o": [:], "z": nil]
        #expect(value["s"]?.string == "x" && value["s"]?.bool == nil && value["s"]?.integer == nil)
        #expect(value["b"]?.bool == true && value["b"]?.double == nil)
        #expect(value["n"]?.integer == 1 && value["n"]?.string == nil)
        #expect(value["a"]?.array == [1] && value["a"]?.object == nil)
        #expect(value["o"]?.object?.isEmpty == true && value["o"]?.array == nil)
        #expect(value["z"] == .null && value["missing"] == nil && JSON("x")["s"] == nil)
    }

    @Test func `an object of 20 000 members is read, searched and compared`() throws {
        let text = "{" + (0..<20_000).map { "\"\($0)\":\($0)" }.joined(separator: ",") + "}"
        let value = try JSON(parsing: text, limits: .init(bytes: 1 << 20))
        #expect(value.object?.count == 20_000)
        #expect(value["19999"] == 19_999)
        let reversed = JSON.Object(
            (value.object?.members ?? []).reversed().map { ($0.name, $0.value) })
        #expect(JSON.object(reversed) == value)
    }

    @Test func `64 KiB of nesting is read`() throws {
        let nest = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        let text = "[" + Array(repeating: nest, count: 1000).joined(separator: ",") + "]"
        #expect(try JSON(parsing: text).array?.count == 1000)
    }
}

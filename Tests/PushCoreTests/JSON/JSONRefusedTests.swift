import Foundation
import PushCore
import Testing

/// What the strict reader refuses, why, and where.
struct JSONRefusedTests {
    typealias Kind = JSON.Failure.Kind

    private func failure(
        _ bytes: [UInt8], limits: JSON.Limits = .init()
    ) throws -> JSON.Failure {
        let error = #expect(throws: PushError.self) {
            try JSON(parsing: Data(bytes), limits: limits)
        }
        #expect(error?.code == .malformed)
        return try #require(error?.underlying as? JSON.Failure)
    }

    @Test(
        arguments: [
            ("", Kind.truncated, 0), ("  ", .truncated, 2), ("[", .truncated, 1),
            ("{", .truncated, 1), ("[1", .truncated, 2), ("[1,", .truncated, 3),
            (#"{"a""#, .truncated, 4), (#"{"a":"#, .truncated, 5), (#"{"a":1"#, .truncated, 6),
            (#"{"a":1,"#, .truncated, 7), (#"""#, .truncated, 1), (#""ab"#, .truncated, 3),
            (#""\"#, .truncated, 2), (#""\u00"#, .truncated, 5), (#""\ud83d\u"#, .truncated, 9),
            ("tru", .truncated, 3), ("fals", .truncated, 4), ("n", .truncated, 1),
        ] as [(String, Kind, Int)])
    func `input that ends early is refused at its end`(text: String, kind: Kind, at: Int) throws {
        let failure = try failure(Array(text.utf8))
        #expect((failure.kind, failure.offset) == (kind, at))
    }

    @Test(
        arguments: [
            ("[1,]", Kind.unexpectedByte, 3), (#"{"a":1,}"#, .unexpectedByte, 7),
            ("[,1]", .unexpectedByte, 1), ("[1 2]", .unexpectedByte, 3),
            ("{,}", .unexpectedByte, 1),
            (#"{"a" 1}"#, .unexpectedByte, 5), (#"{"a";1}"#, .unexpectedByte, 4),
            (#"{a:1}"#, .unexpectedByte, 1), (#"{1:1}"#, .unexpectedByte, 1),
            (#"{"a":1 "b":2}"#, .unexpectedByte, 7), (#"{"a"}"#, .unexpectedByte, 4),
            ("[1}", .unexpectedByte, 2), (#"{"a":1]"#, .unexpectedByte, 6),
            ("'a'", .unexpectedByte, 0), ("{'a':1}", .unexpectedByte, 1),
            ("/* c */1", .unexpectedByte, 0), ("// c\n1", .unexpectedByte, 0),
            ("# c\n1", .unexpectedByte, 0), ("[1/**/]", .unexpectedByte, 2),
            ("NaN", .unexpectedByte, 0), ("Infinity", .unexpectedByte, 0),
            ("-Infinity", .invalidNumber, 1), ("undefined", .unexpectedByte, 0),
            ("True", .unexpectedByte, 0), ("nul!", .unexpectedByte, 3),
            ("trua", .unexpectedByte, 3),
            ("]", .unexpectedByte, 0), (",", .unexpectedByte, 0), (":", .unexpectedByte, 0),
            ("\u{FEFF}1", .unexpectedByte, 0), ("\u{A0}1", .unexpectedByte, 0),
            ("\u{2028}1", .unexpectedByte, 0), ("\u{0B}1", .unexpectedByte, 0),
            ("\u{0C}1", .unexpectedByte, 0), ("\u{0}", .unexpectedByte, 0),
            ("[1\u{0}]", .unexpectedByte, 2),
        ] as [(String, Kind, Int)])
    func `what the grammar doesn't allow is refused`(text: String, kind: Kind, at: Int) throws {
        let failure = try failure(Array(text.utf8))
        #expect((failure.kind, failure.offset) == (kind, at))
    }

    @Test(arguments: [
        ("1 1", 2), ("{}{}", 2), ("null,", 4), ("[]]", 2), ("1\u{0}", 1), (#""a"b"#, 3),
        ("truex", 4), ("0x10", 1), ("1_000", 1), ("1//", 1),
    ])
    func `anything after the value is refused`(text: String, at: Int) throws {
        let failure = try failure(Array(text.utf8))
        #expect((failure.kind, failure.offset) == (.trailingBytes, at))
    }

    @Test(
        arguments: [
            ("01", Kind.invalidNumber, 0), ("-01", .invalidNumber, 1), ("00", .invalidNumber, 0),
            ("-", .invalidNumber, 1), ("-a", .invalidNumber, 1), ("1.", .invalidNumber, 2),
            ("1.e1", .invalidNumber, 2), ("1e", .invalidNumber, 2), ("1e+", .invalidNumber, 3),
            ("1E-", .invalidNumber, 3), ("--1", .invalidNumber, 1), ("+1", .unexpectedByte, 0),
            (".5", .unexpectedByte, 0), ("-.5", .invalidNumber, 1), ("[01]", .invalidNumber, 1),
            ("1e400", .numberOutOfRange, 0), ("[-1e400]", .numberOutOfRange, 1),
            ("1" + String(repeating: "0", count: 400), .numberOutOfRange, 0),
            (String(repeating: "1", count: 513), .invalidNumber, 0),
            ("[0." + String(repeating: "0", count: 511) + "]", .invalidNumber, 1),
        ] as [(String, Kind, Int)])
    func `numbers in another form are refused`(text: String, kind: Kind, at: Int) throws {
        let failure = try failure(Array(text.utf8))
        #expect((failure.kind, failure.offset) == (kind, at))
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, 7), (#"{"a":1,"a":1}"#, 7), (#"{"a":1,"\u0061":2}"#, 7),
        (#"{"\u0061":1,"a":2}"#, 12), (#"{"":1,"":2}"#, 6), (#"[{"b":{"a":1, "a":2}}]"#, 14),
        ("{\"\u{e9}\":1,\"e\u{301}\":2}", 8), (#"{"/":1,"\/":2}"#, 7),
    ])
    func `a name given twice is refused, however it is spelled`(text: String, at: Int) throws {
        let failure = try failure(Array(text.utf8))
        #expect((failure.kind, failure.offset) == (.duplicateName, at))
    }

    @Test(arguments: [
        ("{\"K\":1,\"\u{212A}\":1}", 7), ("{\"\u{212A}\":1,\"K\":1}", 9),
        ("{\"a\u{315}\u{316}\":1,\"a\u{316}\u{315}\":1}", 11),
        ("{\"\u{AC00}\":1,\"\u{1100}\u{1161}\":1}", 9), (#"{"\u00e9":1,"e\u0301":1}"#, 12),
        ("{\"a\":1,\"\u{e9}\":1,\"b\":1,\"e\u{301}\":1}", 20),
    ])
    func `two spellings of one name are refused, whichever comes first`(
        text: String, at: Int
    ) throws {
        let failure = try failure(Array(text.utf8))
        #expect((failure.kind, failure.offset) == (.duplicateName, at))
    }

    @Test func `a name that isn't ASCII has up to 256 bytes`() throws {
        func text(_ name: String) -> String { "[{\"\(name)\":1}]" }
        let longest = String(repeating: "é", count: 128)
        #expect(try JSON(parsing: text(longest)).array?.first?[longest] == 1)
        for name in [longest + "e", "e" + longest, longest + #"\u0065"#] {
            let failure = try failure(Array(text(name).utf8))
            #expect((failure.kind, failure.offset) == (.nameTooLong, 2))
        }
        let plain = String(repeating: "e", count: 10_000)
        #expect(try JSON(parsing: text(plain)).array?.first?[plain] == 1)
        #expect(try JSON(parsing: "\"\(longest)\(longest)\"").string == longest + longest)
    }

    @Test func `more than 256 combining marks in a row are refused, as nobody could compare them`()
        throws
    {
        func marks(_ count: Int) -> String {
            (0..<count).map { $0.isMultiple(of: 2) ? "\u{315}" : "\u{316}" }.joined()
        }
        let full = "a" + marks(256)
        for text in [full, full + full, full + "\u{200D}" + marks(256)] {
            #expect(
                try JSON(parsing: "[\"\(text)\"]").array?.first?.string?.utf8.count
                    == text.utf8.count)
        }
        let escaped = String(repeating: #"\u0301"#, count: 257)
        for text in ["a" + marks(257), marks(257) + "a", full + full + "\u{301}", escaped] {
            let failure = try failure(Array("[\"\(text)\"]".utf8))
            #expect((failure.kind, failure.offset) == (.tooManyMarks, 1))
        }
        let letters = String(repeating: "é東", count: 12_000)
        #expect(try JSON(parsing: "\"\(letters)\"").string == letters)
    }

    @Test func `a name given twice among thousands is refused`() throws {
        let names = (0..<4000).map { "\"\($0)\":0" } + ["\"17\":0"]
        let text = "{" + names.joined(separator: ",") + "}"
        let failure = try failure(Array(text.utf8))
        #expect((failure.kind, failure.offset) == (.duplicateName, text.utf8.count - 7))
    }

    @Test(
        arguments: [
            (#""\ud800""#, Kind.loneSurrogate, 1), (#""a\udc00""#, .loneSurrogate, 2),
            (#""\ud800x""#, .loneSurrogate, 1), (#""\ud800\n""#, .loneSurrogate, 1),
            (#""\ud800\ud800""#, .loneSurrogate, 1), (#""\ud800\u0041""#, .loneSurrogate, 1),
            (#""\udc00\ud800""#, .loneSurrogate, 1), (#""\ud800\""#, .loneSurrogate, 1),
            (#"{"\ud800":1}"#, .loneSurrogate, 2), (#""\uDFFF""#, .loneSurrogate, 1),
            (#""\x41""#, .invalidEscape, 1), (#""\a""#, .invalidEscape, 1),
            (#""\'""#, .invalidEscape, 1), (#""\0""#, .invalidEscape, 1),
            (#""\N""#, .invalidEscape, 1),
            (#""\u00g0""#, .invalidEscape, 5), (#""\u{41}""#, .invalidEscape, 3),
            (#""\u 041""#, .invalidEscape, 3), (#""\u-041""#, .invalidEscape, 3),
            (#""\u004""#, .invalidEscape, 6), ("\"\\\n\"", .invalidEscape, 1),
            (#""\ud83d\u00""#, .invalidEscape, 11),
        ] as [(String, Kind, Int)])
    func `escapes in another form are refused`(text: String, kind: Kind, at: Int) throws {
        let failure = try failure(Array(text.utf8))
        #expect((failure.kind, failure.offset) == (kind, at))
    }

    @Test(arguments: 0x00..<0x20)
    func `an unescaped control character is refused`(byte: UInt8) throws {
        let failure = try failure([0x22, 0x61, byte, 0x22])
        #expect((failure.kind, failure.offset) == (.controlCharacter, 2))
    }

    @Test(
        arguments: [
            ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xC2], 0),
            ([0xC2, 0x20], 0), ([0xE0, 0x80, 0x80], 0), ([0xE0, 0x9F, 0xBF], 0), ([0xE2, 0x82], 0),
            ([0xE2, 0x82, 0x20], 0), ([0xED, 0xA0, 0x80], 0), ([0xED, 0xBF, 0xBF], 0),
            ([0xF0, 0x80, 0x80, 0x80], 0), ([0xF0, 0x8F, 0xBF, 0xBF], 0), ([0xF0, 0x9F, 0x98], 0),
            ([0xF0, 0x9F, 0x98, 0x20], 0), ([0xF4, 0x90, 0x80, 0x80], 0),
            ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFE], 0), ([0xFF], 0), ([0x61, 0xC3, 0xA9, 0xC3], 3),
        ] as [([UInt8], Int)])
    func `malformed UTF-8 is refused`(bytes: [UInt8], at: Int) throws {
        let failure = try failure([0x22] + bytes + [0x22])
        #expect((failure.kind, failure.offset) == (.invalidUTF8, at + 1))
        let open = try self.failure([0x22] + bytes)
        #expect((open.kind, open.offset) == (.invalidUTF8, at + 1))
    }

    @Test func `32 levels are read, the 33rd is refused`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
        }
        _ = try JSON(parsing: nested(32))
        let deep = try failure(Array(nested(33).utf8))
        #expect((deep.kind, deep.offset) == (.tooDeep, 32))
        let objects = String(repeating: #"{"a":"#, count: 33)
        #expect(try failure(Array(objects.utf8)).kind == .tooDeep)
        let endless = try failure(Array(repeating: 0x5B, count: 60_000))
        #expect((endless.kind, endless.offset) == (.tooDeep, 32))
    }

    @Test func `no limit is deeper than 32, and any may be tighter`() throws {
        var limits = JSON.Limits(depth: 1000)
        #expect(limits.depth == 32)
        limits.depth = 1000
        #expect(limits.depth == 32)
        let shallow = try failure(Array("[[1]]".utf8), limits: .init(depth: 1))
        #expect((shallow.kind, shallow.offset) == (.tooDeep, 1))
    }

    @Test func `input over the limit is refused unread`() throws {
        let text = "\"" + String(repeating: "a", count: 65534) + "\""
        _ = try JSON(parsing: text)
        let failure = try failure(Array((text + " ").utf8))
        #expect((failure.kind, failure.offset) == (.tooLarge, 65536))
    }

    @Test(arguments: [
        #"{"hunter2":1,"hunter2":1}"#, #""hunter2\x""#, #"["hunter2",]"#, "hunter2",
        #"{"hunter2" 1}"#, "[\"hunter2\u{1}\"]",
    ])
    func `an error never repeats what was read`(text: String) throws {
        let error = try #require(throws: PushError.self) { try JSON(parsing: text) }
        for shown in ["\(error)", error.reason, "\(String(describing: error.underlying))"] {
            #expect(!shown.contains("hunter2"))
        }
    }
}

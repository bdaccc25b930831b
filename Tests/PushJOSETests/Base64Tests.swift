import Foundation
import PushCore
import PushJOSE
import Testing

struct Base64Tests {
    /// RFC 4648 section 10; the unpadded form follows from section 5.
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ]

    @Test(arguments: vectors) func `the vectors of RFC 4648 hold`(
        plain: String, encoded: String
    ) throws {
        let unpadded = encoded.replacing("=", with: "")
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.encode(Array(plain.utf8), as: .url) == unpadded)
        #expect(try Base64.bytes(from: encoded) == Array(plain.utf8))
        #expect(try Base64.data(from: encoded) == Data(plain.utf8))
        #expect(try Base64.data(from: unpadded, as: .url) == Data(plain.utf8))
        #expect(try Base64.data(from: encoded, as: .anyAlphabet) == Data(plain.utf8))
        #expect(try Base64.data(from: unpadded, as: .anyAlphabet) == Data(plain.utf8))
    }

    @Test func `each alphabet writes its own two last characters`() throws {
        let bytes: [UInt8] = [0xFB, 0xFF, 0xBF]
        #expect(Base64.encode(bytes) == "+/+/")
        #expect(Base64.encode(bytes, as: .url) == "-_-_")
        #expect(refusal { try Base64.bytes(from: "-_-_") } == .malformed)
        #expect(refusal { try Base64.bytes(from: "+/+/", as: .url) } == .malformed)
        #expect(try Base64.bytes(from: "+_-/", as: .anyAlphabet) == bytes)
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zg== ", " Zg==", "Zg=\n", "Zm9v\n", "Zm9vYg==\r\n", "Zm 9", "Zh==",
        "Zm9=", "Z===", "====", "=", "A", "A===", "AAAAA", "Zg==Zg==", "Z=g=", "=Zg=", "Zm9v====",
        "Zm\u{0}v", "Zmé", "Zm9vＡ", "*m9v", "Zm9@", "[m9v", "`m9v", "{m9v", "-m9v", "_m9v",
    ]) func `strict standard base64 refuses`(text: String) {
        #expect(refusal { try Base64.bytes(from: text) } == .malformed)
        #expect(refusal { try Base64.data(from: text) } == .malformed)
        #expect(refusal { try Base64.secret(from: text) } == .malformed)
    }

    @Test(arguments: [
        "Zg==", "Zm8=", "Zh", "Zm9", "Z", "ZZZZZ", "Zg ", "Zg\n", " Zg", "Z g", "Zm9v=", "Z+", "Z/",
        "Zg\u{0}", "é",
    ]) func `strict base64url refuses`(text: String) {
        #expect(refusal { try Base64.bytes(from: text, as: .url) } == .malformed)
        #expect(refusal { try Base64.secret(from: text, as: .url) } == .malformed)
    }

    @Test(arguments: [
        ("Zg", "f"), ("Zg=", "f"), ("Zg==", "f"), ("Zh", "f"), ("Zm9", "fo"), ("Zm9v==", "foo"),
    ]) func `the lenient reader accepts optional padding and unused bits`(
        text: String, plain: String
    ) throws {
        #expect(try Base64.data(from: text, as: .anyAlphabet) == Data(plain.utf8))
        #expect(try Base64.secret(from: text, as: .anyAlphabet).bytes == Array(plain.utf8))
    }

    @Test(arguments: [
        "Z", "Z=", "Z==", "Zm9vZ", "Zm9vZ===", "Z g", "Zg\n", "Zg ", " Zg", "Z=g", "=Zg", "Zg===",
        "Zm.v", "é", "Zg\u{0}",
    ]) func `the lenient reader still refuses`(text: String) {
        #expect(refusal { try Base64.data(from: text, as: .anyAlphabet) } == .malformed)
    }

    @Test func `a substring is read as itself`() throws {
        let text = "xx.Zm9v.yy"
        let parts = text.split(separator: ".")
        #expect(try Base64.bytes(from: parts[1], as: .url) == Array("foo".utf8))
    }

    @Test func `no byte outside an alphabet is read, wherever it stands`() {
        let standard = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let url = standard.subtracting("+/".utf8).union("-_".utf8)
        for byte in UInt8.min...UInt8.max {
            for position in 0..<7 {
                // A group of four and a tail of three whose unused bits are zero.
                var text = Array("AAAAAAA".utf8)
                text[position] = byte
                let isCanonical = position < 6 || Base64Tests.lowBitsAreZero(byte)
                let data = Data(text)
                let read = refusal {
                    try data.withUnsafeBytes { lent in
                        Result { () throws(PushError) in try Base64.data(from: lent, as: .url) }
                    }.get()
                }
                #expect(
                    (read == nil) == (url.contains(byte) && isCanonical), "\(byte), \(position)")
            }
        }
    }

    /// Whether the value of a base64url character ends in two zero bits.
    private static func lowBitsAreZero(_ character: UInt8) -> Bool {
        "AEIMQUYcgkosw048".utf8.contains(character)
    }

    @Test(arguments: 0..<200) func `random bytes survive, and Foundation agrees`(count: Int) throws
    {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = generator.bytes(count)
        let standard = Base64.encode(bytes)
        let url = Base64.encode(bytes, as: .url)
        #expect(standard == Data(bytes).base64EncodedString())
        #expect(try Base64.bytes(from: standard) == bytes)
        #expect(try Base64.bytes(from: url, as: .url) == bytes)
        #expect(try Base64.secret(from: url, as: .url).bytes == bytes)
        #expect(try Base64.bytes(from: standard, as: .anyAlphabet) == bytes)
        #expect(try Base64.bytes(from: url, as: .anyAlphabet) == bytes)
    }

    @Test func `a strictly read text is the only one for its bytes`() {
        var generator = SeededGenerator(seed: 1)
        let characters = Array("AZaz09+/-_=. \n".utf8)
        for _ in 0..<5_000 {
            let length = Int.random(in: 0...9, using: &generator)
            let text = String(
                decoding: (0..<length).map { _ in characters.randomElement(using: &generator) ?? 0
                },
                as: UTF8.self)
            if let bytes = try? Base64.bytes(from: text) { #expect(Base64.encode(bytes) == text) }
            if let bytes = try? Base64.bytes(from: text, as: .url) {
                #expect(Base64.encode(bytes, as: .url) == text)
            }
        }
    }
}

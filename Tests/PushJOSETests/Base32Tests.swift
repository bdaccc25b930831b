import Foundation
import PushCore
import PushJOSE
import Testing

struct Base32Tests {
    /// RFC 4648 section 10.
    static let vectors = [
        ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="),
        ("foob", "MZXW6YQ="), ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
    ]

    @Test(arguments: vectors) func `the vectors of RFC 4648 hold`(
        plain: String, encoded: String
    ) throws {
        let unpadded = encoded.replacing("=", with: "")
        #expect(Base32.encode(Array(plain.utf8)) == encoded)
        for text in [encoded, unpadded, encoded.lowercased(), unpadded.lowercased()] {
            #expect(try Base32.data(from: text) == Data(plain.utf8))
            #expect(try Base32.secret(from: text).bytes == Array(plain.utf8))
        }
    }

    @Test(arguments: [
        "M", "MZX", "MZXW6Y", "MY=", "MY==", "MY=====", "MY=======", "MZXW6YTB========", "========",
        "=", "M=Y=====", "MY====== ", " MY======", "MY\n", "M Y", "M0", "M1", "M8", "M9", "MÉ",
        "M-",
        "MZ", "MZXR", "MZXW7", "MZXW6YR",
    ]) func `strict base32 refuses`(text: String) {
        #expect(refusal { try Base32.data(from: text) } == .malformed)
        #expect(refusal { try Base32.secret(from: text) } == .malformed)
    }

    @Test func `unused bits are tolerated only by name`() throws {
        #expect(refusal { try Base32.data(from: "SOMESECRET") } == .malformed)
        let secret = try Base32.secret(from: "SOMESECRET", as: .anyTrailingBits)
        #expect(secret.bytes == [0x93, 0x98, 0x49, 0x10, 0x51, 0x24])
        #expect(refusal { try Base32.data(from: "SOMESECRE1", as: .anyTrailingBits) } == .malformed)
    }

    /// As people make them up: what doesn't fill a byte is dropped, as by the vendors' apps.
    @Test(arguments: [
        ("SECRETKEY", "SECRETKE"), ("KRSXG5CTMVRXEZLUA", "KRSXG5CTMVRXEZLU"),
        ("KRSXG5CTMVR", "KRSXG5CTMU======"), ("MZXW6Y", "MZXW6==="), ("MZX", "MY======"),
    ])
    func `a secret whose last character fills no byte is read without it`(
        text: String, whole: String
    ) throws {
        let read = try Base32.data(from: text, as: .anyTrailingBits)
        #expect(try Base32.data(from: whole, as: .anyTrailingBits) == read)
        #expect(refusal { try Base32.data(from: "M", as: .anyTrailingBits) } == .malformed)
        #expect(refusal { try Base32.data(from: text) } == .malformed)
    }

    @Test(arguments: vectors) func `canonical base32 is what is written, and nothing else`(
        plain: String, encoded: String
    ) throws {
        #expect(try Base32.data(from: encoded, as: .canonical) == Data(plain.utf8))
        #expect(try Base32.secret(from: encoded, as: .canonical).bytes == Array(plain.utf8))
        let others = [encoded.replacing("=", with: ""), encoded.lowercased()]
        for text in others where text != encoded {
            #expect(refusal { try Base32.data(from: text, as: .canonical) } == .malformed)
        }
    }

    @Test(arguments: [
        "my======", "MY", "MY=====", "MZ======", "MY======MY======", "M=======", "MY=A====",
        "MZXW6YT1", "MZXW6YTb", "MZXW6YTB========", "MY======\n", "=", "MZXW6YTBÄ",
    ]) func `canonical base32 refuses`(text: String) {
        #expect(refusal { try Base32.data(from: text, as: .canonical) } == .malformed)
    }

    @Test(arguments: 0..<64) func `random bytes survive`(count: Int) throws {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = generator.bytes(count)
        #expect(try Base32.data(from: Base32.encode(bytes)) == Data(bytes))
    }
}

import Foundation
import PushCore
import PushPlatform
import Testing

@Suite struct `A pin` {
    /// RFC 7469, section 2.1.5.
    private let text = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="

    @Test func `is read from base64, with its prefix or without`() throws {
        let pin = try ServerPin(text)
        #expect(try ServerPin("sha256/" + text) == pin)
        #expect(try ServerPin(digest: pin.digest) == pin)
        #expect(pin.description == "sha256/" + text)
        #expect(pin.digest.count == 32 && pin.digest.first == 0x77)
    }

    @Test(arguments: [
        ("", "not 0"), ("sha256/", "not 0"), ("sha256/d6qz", "not 4"),
        ("sha256//d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=", "not 45"),
        ("sha1/d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=", "not 49"),
        (" d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM=", "not 45"),
        ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM", "not 43"),
        ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmN=", "padded"),
        ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWm==", "padded"),
        ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmMM", "not 33"),
        ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZ-_M=", "padded"),
        ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZ\n\nM=", "padded"),
        ("d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWé=", "padded"),
        (String(repeating: "0aF9", count: 16), "hexadecimal"),
        ("sha256/" + String(repeating: "0aF9", count: 16), "hexadecimal"),
        (String(repeating: "A", count: 10_000), "not 10000"),
    ])
    func `of any other form is refused, and the reason says why`(
        text: String, word: String
    ) throws {
        let error = try #require(throws: PushError.self) { try ServerPin(text) }
        #expect(error.code == .invalidArgument)
        #expect(error.reason.contains(word), "\(error.reason)")
        #expect(text.isEmpty || !error.reason.contains(text))
    }

    @Test(arguments: [0, 20, 31, 33, 64])
    func `has 32 bytes`(count: Int) throws {
        let error = try #require(throws: PushError.self) {
            try ServerPin(digest: Data(count: count))
        }
        #expect(error.code == .invalidArgument && error.reason.contains("not \(count)"))
    }

    @Test func `is the same from a part of other bytes`() throws {
        let bytes = Data(0..<64)
        let pin = try ServerPin(digest: bytes[32...])
        #expect(try pin == ServerPin(digest: Data(32..<64)))
        #expect(try pin.hashValue == ServerPin(digest: Data(32..<64)).hashValue)
    }
}

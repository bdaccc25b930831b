import Foundation
import PushCore
import Testing

@testable import PushPowerAuth

@Suite struct StrictBase64Tests {
    @Test func `canonical text is read`() throws {
        let data = try StrictBase64.decode("AAECAwQFBgcICQoLDA0ODw==", count: 16)
        #expect(data == Sample.ascending(16))
        #expect(data.startIndex == 0)
        #expect(
            try StrictBase64.secret("AAECAwQFBgcICQoLDA0ODw==").copy == Array(Sample.ascending(16)))
        #expect(
            try StrictBase64.bytes("AAECAwQFBgcICQoLDA0ODw==", count: 16)
                == Array(Sample.ascending(16)))
    }

    @Test(arguments: [
        "", "=", "====", "AAECAwQFBgcICQoLDA0ODx==", "AAECAwQFBgcICQoLDA0ODw",
        "AAECAwQFBgcICQoLDA0ODw=", "AAECAwQFBgcICQoLDA0ODw===", " AAECAwQFBgcICQoLDA0ODw==",
        "AAECAwQF\nBgcICQoLDA0ODw==", "AAECAwQFBgcICQoLDA0ODw==\r\n", "_-ECAwQFBgcICQoLDA0ODw==",
        "AAECAwQFBgcICQoLDA0ODw==AAEC", "ÄAECAwQFBgcICQoLDA0ODw==", "AAEC\u{0}wQFBgcICQoLDA0ODw==",
    ])
    func `any other text is refused`(text: String) {
        #expect(Sample.refusal { _ = try StrictBase64.decode(text) } == .malformed)
        #expect(Sample.refusal { _ = try StrictBase64.secret(text) } == .malformed)
        for count in [0, 16] {
            #expect(
                Sample.refusal { _ = try StrictBase64.bytes(text, count: count) } == .malformed)
        }
    }

    @Test func `another number of bytes is refused`() {
        for count in [0, 15, 17] {
            #expect(
                Sample.refusal {
                    _ = try StrictBase64.decode("AAECAwQFBgcICQoLDA0ODw==", count: count)
                }
                    == .malformed)
            #expect(
                Sample.refusal {
                    _ = try StrictBase64.secret("AAECAwQFBgcICQoLDA0ODw==", count: count)
                }
                    == .malformed)
            #expect(
                Sample.refusal {
                    _ = try StrictBase64.bytes("AAECAwQFBgcICQoLDA0ODw==", count: count)
                }
                    == .malformed)
        }
    }

    @Test func `what is written is the library's text`() {
        for count in 0..<100 {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) })
            let text = data.withUnsafeBytes { Base64Text.string($0) }
            #expect(text == data.base64EncodedString())
            #expect(text.utf8.count == Base64Text.count(ofBytes: count))
        }
    }
}

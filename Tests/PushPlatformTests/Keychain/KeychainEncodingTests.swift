import PushCore
import Testing

@testable import PushPlatform

struct KeychainEncodingTests {
    @Test(arguments: [-25308, -25291, -25293, -34018, -26275, -67585, -128, -50, -36, -34, -4, 77])
    func `a keychain that is locked or fails is an error of the store, never a missing item`(
        status: Int32
    ) {
        let error = KeychainEncoding.error(status, "reading")
        #expect(error.code == .storage)
        #expect(error.reason.contains("reading"))
    }

    @Test func `the reason says what the status means`() {
        #expect(
            KeychainEncoding.error(-25308, "reading").reason.contains("errSecInteractionNotAllowed")
        )
        #expect(KeychainEncoding.error(77, "reading").reason.contains("status 77"))
    }

    @Test func `a second item, and none of the revision, mean that another writer was first`() {
        #expect(KeychainEncoding.error(-25299, "creating").code == .conflict)
        #expect(KeychainEncoding.error(-25300, "replacing").code == .conflict)
    }

    @Test func `a revision comes back, and anything else is none`() {
        for value in [0, 1, 0x0102_0304_0506_0708, UInt64.max] {
            let bytes = KeychainEncoding.bytes(of: Revision(value))
            #expect(KeychainEncoding.revision(reading: bytes) == Revision(value))
        }
        #expect(KeychainEncoding.bytes(of: Revision(0x0102)) == [0, 0, 0, 0, 0, 0, 1, 2])
        for count in [0, 7, 9] {
            #expect(KeychainEncoding.revision(reading: Array(repeating: 1, count: count)) == nil)
        }
    }

    @Test func `every name comes back, and no two look alike`() {
        let names = [
            "", "=", "==", "a", "A", "a b", " ", "\u{E9}", "e\u{301}", "a\u{0}", "=YQ", "😀",
        ]
        let texts = names.map { KeychainEncoding.text(of: $0) }
        #expect(Set(texts).count == names.count)
        for (name, text) in zip(names, texts) {
            #expect(text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            let back = KeychainEncoding.name(reading: text)
            #expect(back.map { Array($0.utf8) } == Array(name.utf8))
        }
        #expect(texts[3] == "a")
        for text in ["", "a b", "=YQ", "=Y", "=/w", "=gA"] {
            #expect(KeychainEncoding.name(reading: text) == nil)
        }
    }
}

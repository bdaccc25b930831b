import Testing

@testable import PushCore

/// The hash that names challenges in a document.
struct SipHashTests {
    /// Of the reference implementation, https://github.com/veorq/SipHash, `vectors_sip128` in
    /// vectors.h: the key is 00 01 … 0f, a text of n bytes is 00 01 … n - 1.
    private static let vectors: [(count: UInt8, digest: String)] = [
        (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
        (2, "8177228da4a45dc7fca38bdef60affe4"), (7, "a1f1ebbed8dbc153c0b84aa61ff08239"),
        (8, "3b62a9ba6258f5610f83e264f31497b4"), (9, "264499060ad9baabc47f8b02bb6d71ed"),
        (15, "5493e99933b0a8117e08ec0f97cfc3d9"), (16, "6ee2a4ca67b054bbfd3315bf85230577"),
        (17, "473d06e8738db89854c066c47ae47740"), (31, "2939b0183223fafc1723de4f52c43d35"),
        (32, "7c3956ca5eeafc3e363e9d556546eb68"), (47, "e61c432b720b19d18ec8d84bdc63151b"),
        (62, "5853542321f567a005d547a4f04759bd"), (63, "5150d1772f50834a503e069a973fbd7c"),
    ]

    @Test func `texts of each length have the published hashes`() throws {
        let hash = try #require(SipHash(key: Secret(Array(0..<16))))
        for (count, expected) in Self.vectors {
            let digest = hash.digest(of: 0..<count)
            let bytes = [digest.high, digest.low].flatMap { word in
                withUnsafeBytes(of: word.bigEndian) { Array($0) }
            }
            #expect(Hexadecimal.text(bytes) == expected, "\(count) bytes")
        }
    }

    @Test(arguments: [0, 15, 17, 32]) func `a key of another length is none`(count: Int) {
        #expect(SipHash(key: Secret(Array(repeating: 0, count: count))) == nil)
    }
}

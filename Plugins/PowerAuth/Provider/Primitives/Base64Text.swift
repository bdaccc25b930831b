/// Base64 (RFC 4648 section 4) written straight to where it belongs.
enum Base64Text {
    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// How many characters stand for so many bytes, padding included.
    static func count(ofBytes count: Int) -> Int { (count + 2) / 3 * 4 }

    /// The text of the bytes, padded.
    static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: count(ofBytes: bytes.count)) {
            write(bytes, to: UnsafeMutableRawBufferPointer($0))
        }
    }

    /// Writes the text of the bytes, padded.
    ///
    /// - Returns: How many characters were written.
    static func write(
        _ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
    ) -> Int {
        let alphabet = alphabet.utf8Start
        var source = 0
        var target = 0
        func put(_ group: UInt32, _ characters: Int) {
            for place in 0..<4 {
                let value = Int(group >> UInt32(18 - 6 * place) & 63)
                output[target + place] = place < characters ? alphabet[value] : UInt8(ascii: "=")
            }
            target += 4
        }
        while source + 3 <= bytes.count {
            let high = UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8
            put(high | UInt32(bytes[source + 2]), 4)
            source += 3
        }
        if source + 2 == bytes.count {
            put(UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8, 3)
        } else if source + 1 == bytes.count {
            put(UInt32(bytes[source]) << 16, 2)
        }
        return target
    }
}

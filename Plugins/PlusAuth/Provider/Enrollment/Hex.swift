import Crypto

/// Bytes as lower-case hexadecimal text.
enum Hex {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        Array(bytes).withUnsafeBytes { text($0) }
    }

    static func text(_ digest: SHA256Digest) -> String {
        digest.withUnsafeBytes { text($0) }
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits: StaticString = "0123456789abcdef"
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { output in
            for position in bytes.indices {
                output[2 * position] = digits.utf8Start[Int(bytes[position] >> 4)]
                output[2 * position + 1] = digits.utf8Start[Int(bytes[position] & 0x0F)]
            }
            return 2 * bytes.count
        }
    }

    /// Sixteen bytes in the form of a UUID.
    static func uuidText(_ bytes: some Sequence<UInt8>) -> String {
        var digits = text(bytes)[...]
        var groups: [Substring] = []
        for length in [8, 4, 4, 4, 12] {
            groups.append(digits.prefix(length))
            digits = digits.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }
}

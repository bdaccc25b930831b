/// Bytes as lower-case hexadecimal text.
enum Hex {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits: StaticString = "0123456789abcdef"
        let bytes = Array(bytes)
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { output in
            for (position, byte) in bytes.enumerated() {
                output[2 * position] = digits.utf8Start[Int(byte >> 4)]
                output[2 * position + 1] = digits.utf8Start[Int(byte & 0x0F)]
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

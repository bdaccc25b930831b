/// Bytes as lower-case hexadecimal text.
enum Hex {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits: StaticString = "0123456789abcdef"
        var output: [UInt8] = []
        output.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            output.append(digits.utf8Start[Int(byte >> 4)])
            output.append(digits.utf8Start[Int(byte & 0x0F)])
        }
        return String(decoding: output, as: UTF8.self)
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

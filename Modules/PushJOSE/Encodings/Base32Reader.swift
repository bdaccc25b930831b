import PushCore

/// Reads base32 five bits at a time.
struct Base32Reader: BinaryTextReader {
    /// The text without its padding.
    private let text: UnsafeRawBufferPointer
    private let ignoresTrailingBits: Bool

    let count: Int

    /// Checks length and padding; the characters are checked while they are read.
    static func open(
        _ text: UnsafeRawBufferPointer, as reading: Base32.Reading
    ) -> Result<Base32Reader, PushError> {
        var end = text.count
        while end > 0, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        let padding = text.count - end
        // Lengths whose last character would add no bit to a byte don't occur (RFC 4648 section 6).
        guard [0, 2, 4, 5, 7].contains(end % 8),
            padding == 0 || padding < 8 && text.count.isMultiple(of: 8)
        else { return .failure(BinaryTextFault.length.pushError) }
        let body = UnsafeRawBufferPointer(rebasing: text[..<end])
        return .success(Base32Reader(body, ignoresTrailingBits: reading == .anyTrailingBits))
    }

    private init(_ body: UnsafeRawBufferPointer, ignoresTrailingBits: Bool) {
        text = body
        self.ignoresTrailingBits = ignoresTrailingBits
        count = body.count / 8 * 5 + body.count % 8 * 5 / 8
    }

    func write(to output: UnsafeMutableRawBufferPointer) -> BinaryTextFault? {
        var bits: UInt32 = 0
        var bitCount = 0
        var target = 0
        for character in text {
            guard let value = Self.value(of: character) else { return .character }
            bits = bits << 5 | value
            bitCount += 5
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            output[target] = UInt8(truncatingIfNeeded: bits >> bitCount)
            target += 1
        }
        let unused = bits & (1 << bitCount - 1)
        return unused == 0 || ignoresTrailingBits ? nil : .trailingBits
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}

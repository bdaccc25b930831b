/// The escapes of a JSON string (RFC 8259 section 7).
enum JSONEscape {
    /// Whether what stands at an offset is a backslash and one letter that makes a whole escape.
    static func isShort(in bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Bool {
        guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\") else {
            return false
        }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return true
        default: return false
        }
    }

    /// Reads an escape: `position` is where the backslash is, then the byte after the escape.
    static func scalar(
        in bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
    ) throws(JSON.Failure) -> Unicode.Scalar {
        let start = position
        position += 1
        let letter = try byte(in: bytes, at: position)
        position += 1
        switch letter {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar(in: bytes, at: &position, escapedAt: start)
        default: throw JSON.Failure(kind: .invalidEscape, offset: start)
        }
    }

    private static func scalar(
        in bytes: UnsafeBufferPointer<UInt8>, at position: inout Int, escapedAt start: Int
    ) throws(JSON.Failure) -> Unicode.Scalar {
        let loneSurrogate = JSON.Failure(kind: .loneSurrogate, offset: start)
        let first = try unit(in: bytes, at: &position)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        else { throw loneSurrogate }
        position += 2
        let second = try unit(in: bytes, at: &position)
        guard UTF16.isTrailSurrogate(second) else { throw loneSurrogate }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw loneSurrogate }
        return scalar
    }

    /// Four hexadecimal digits.
    private static func unit(
        in bytes: UnsafeBufferPointer<UInt8>, at position: inout Int
    ) throws(JSON.Failure) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            let byte = try byte(in: bytes, at: position)
            guard let digit = Hexadecimal.value(of: byte) else {
                throw JSON.Failure(kind: .invalidEscape, offset: position)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private static func byte(
        in bytes: UnsafeBufferPointer<UInt8>, at position: Int
    ) throws(JSON.Failure) -> UInt8 {
        guard position < bytes.count else {
            throw JSON.Failure(kind: .truncated, offset: position)
        }
        return bytes[position]
    }
}

/// Runs of characters that stand for themselves in a JSON string, found eight at a time, and in a long
/// string 32: this is where reading and writing spend their time.
enum PlainRun {
    /// How many of the bytes from an offset on are printable ASCII, neither `"` nor `\`, up to the
    /// first that isn't.
    static func length(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let memory = UnsafeRawBufferPointer(bytes)
        var position = start
        while bytes.count - position >= 8 {
            let word = memory.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let plain = plainPrefix(of: UInt64(littleEndian: word))
            position += plain
            if plain < 8 { return position - start }
            while bytes.count - position >= 32,
                isPlain(memory.loadUnaligned(fromByteOffset: position, as: Block.self))
            {
                position += 32
            }
        }
        while position < bytes.count, isPlain(bytes[position]) { position += 1 }
        return position - start
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20..<0x80 ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private typealias Block = SIMD4<UInt64>

    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// How many of eight bytes, from the lowest, are plain.
    private static func plainPrefix(of word: UInt64) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = (word ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
        let backslashes = (word ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
        let controls = word &- (ones &* 0x20)
        // A byte that isn't plain gets its high bit set. So may a byte above it, by its borrow: only
        // the lowest mark counts.
        let marks = (quotes | backslashes | controls | word) & highBits
        return marks.trailingZeroBitCount / 8
    }

    /// Whether 32 bytes are plain, found as in ``plainPrefix(of:)``.
    @inline(__always)
    private static func isPlain(_ block: Block) -> Bool {
        let ones = Block(repeating: 0x0101_0101_0101_0101)
        let quotes = (block ^ Block(repeating: 0x2222_2222_2222_2222)) &- ones
        let backslashes = (block ^ Block(repeating: 0x5C5C_5C5C_5C5C_5C5C)) &- ones
        let controls = block &- Block(repeating: 0x2020_2020_2020_2020)
        let marks = quotes | backslashes | controls | block
        return (marks[0] | marks[1] | marks[2] | marks[3]) & highBits == 0
    }
}

/// Well-formed UTF-8 (RFC 3629; Unicode table 3-7: no overlong forms, no surrogates).
enum UTF8Sequence {
    /// How many bytes the multi-byte character at an offset has; `nil` if it is not well-formed.
    static func length(in bytes: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int? {
        let lead = bytes[offset]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return nil
        }
        guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else { return nil }
        for index in 2..<max(length, 2) where bytes[offset + index] & 0xC0 != 0x80 { return nil }
        return length
    }
}

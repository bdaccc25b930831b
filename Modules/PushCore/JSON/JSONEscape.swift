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

    /// Reads an escape.
    ///
    /// - Parameters:
    ///   - bytes: The JSON text.
    ///   - position: Where the backslash is; then the byte after the escape.
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
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
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

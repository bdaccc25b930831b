/// A number as it is written (RFC 8259 section 6).
enum JSONNumberText {
    /// Converting a decimal costs more than linear time in its digits.
    private static let maximumCharacters = 512

    /// Without an exponent, so many characters make no number beyond the range of a double.
    private static let surelyInRange = 300

    /// The offset of the byte after a number that begins with a minus sign or a digit.
    static func end(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) throws(JSON.Failure) -> Int {
        let firstDigit = bytes[start] == UInt8(ascii: "-") ? start + 1 : start
        var end = try digits(in: bytes, from: firstDigit)
        if bytes[firstDigit] == UInt8(ascii: "0"), end > firstDigit + 1 {
            throw JSON.Failure(kind: .invalidNumber, offset: firstDigit)
        }
        if end < bytes.count, bytes[end] == UInt8(ascii: ".") {
            end = try digits(in: bytes, from: end + 1)
        }
        var hasExponent = false
        if end < bytes.count, bytes[end] | 0x20 == UInt8(ascii: "e") {
            hasExponent = true
            end += 1
            if end < bytes.count,
                bytes[end] == UInt8(ascii: "+") || bytes[end] == UInt8(ascii: "-")
            {
                end += 1
            }
            end = try digits(in: bytes, from: end)
        }
        guard end - start <= maximumCharacters else {
            throw JSON.Failure(kind: .invalidNumber, offset: start)
        }
        let isInRange =
            !hasExponent && end - start <= surelyInRange
            || JSONDocument.number(start..<end, in: bytes) != nil
        guard isInRange else { throw JSON.Failure(kind: .numberOutOfRange, offset: start) }
        return end
    }

    /// The offset of the byte after one digit or more.
    private static func digits(
        in bytes: UnsafeBufferPointer<UInt8>, from start: Int
    ) throws(JSON.Failure) -> Int {
        var end = start
        while end < bytes.count, bytes[end] &- UInt8(ascii: "0") <= 9 { end += 1 }
        guard end > start else { throw JSON.Failure(kind: .invalidNumber, offset: end) }
        return end
    }
}

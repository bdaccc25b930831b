package import PushCore

/// The encodings of stores' files and records.
package enum Bytes {
    /// A number, the most significant byte first.
    package static func of(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// A text's UTF-8 after its length in four bytes, so that two texts in a row can't be misread.
    package static func prefixed(_ text: String) -> [UInt8] {
        let utf8 = Array(text.utf8)
        return of(UInt32(truncatingIfNeeded: utf8.count)) + utf8
    }

    /// The names of a record, as they are sealed and bound: the collection prefixed, then the name.
    package static func names(of key: RecordKey) -> [UInt8] {
        prefixed(key.collection) + Array(key.name.utf8)
    }

    /// The format that bytes say they have, if it's newer than one: a magic word, the format and its
    /// complement come first.
    package static func newerFormat(
        than format: UInt8, of magic: [UInt8], in bytes: [UInt8]
    ) -> UInt8? {
        guard bytes.count >= 6, Array(bytes[..<4]) == magic, bytes[4] == ~bytes[5],
            bytes[4] > format
        else { return nil }
        return bytes[4]
    }

    package static func number<Number: FixedWidthInteger>(
        _ bytes: some Collection<UInt8>, as: Number.Type = Number.self
    ) -> Number {
        bytes.reduce(0) { $0 << 8 | Number($1) }
    }

    /// Base64url without padding: letters, digits, `-` and `_`.
    package static func base64URL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 1)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            (bits, count) = (bits << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                text.append(digit(bits >> count & 63))
            }
        }
        if count > 0 { text.append(digit(bits << (6 - count) & 63)) }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` if it isn't what ``base64URL(_:)`` writes.
    package static func base64URL(reading text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for digit in text.utf8 {
            guard let value = value(ofDigit: digit) else { return nil }
            (bits, count) = (bits << 6 | value, count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        // What is left of the last digit is zero, and less than a digit.
        guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        let value = UInt8(truncatingIfNeeded: value)
        return switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "-")
        default: UInt8(ascii: "_")
        }
    }

    private static func value(ofDigit digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

extension Sequence<UInt8> {
    /// Two lowercase hexadecimal digits for each byte as ASCII, with room for one more byte, in
    /// memory that doesn't move meanwhile.
    var digits: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount + 1)
        for byte in self {
            text.append(Hexadecimal.digit(byte >> 4))
            text.append(Hexadecimal.digit(byte & 15))
        }
        return text
    }
}

import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The encodings of the store's files.
enum Bytes {
    /// A number, the most significant byte first.
    static func of(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// A text's UTF-8 after its length in four bytes, so that two texts in a row can't be misread.
    static func prefixed(_ text: String) -> [UInt8] {
        let utf8 = Array(text.utf8)
        return of(UInt32(truncatingIfNeeded: utf8.count)) + utf8
    }

    static func number<Number: FixedWidthInteger>(
        _ bytes: some Collection<UInt8>, as: Number.Type = Number.self
    ) -> Number {
        bytes.reduce(0) { $0 << 8 | Number($1) }
    }

    /// Base64url without padding: letters, digits, `-` and `_`.
    static func base64URL(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 3)
        for digit in Data(bytes).base64EncodedData() {
            switch digit {
            case UInt8(ascii: "+"): text.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): text.append(UInt8(ascii: "_"))
            case UInt8(ascii: "="): break
            default: text.append(digit)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` if it isn't what ``base64URL(_:)`` writes.
    static func base64URL(reading text: some StringProtocol) -> [UInt8]? {
        var standard: [UInt8] = []
        standard.reserveCapacity(text.utf8.count + 3)
        for digit in text.utf8 {
            switch digit {
            case UInt8(ascii: "-"): standard.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): standard.append(UInt8(ascii: "/"))
            default: standard.append(digit)
            }
        }
        let padding = (4 - standard.count % 4) % 4
        standard.append(contentsOf: repeatElement(UInt8(ascii: "="), count: padding))
        guard let data = Data(base64Encoded: Data(standard)), base64URL(Array(data)) == text else {
            return nil
        }
        return Array(data)
    }

    /// `nil` if it isn't pairs of hexadecimal digits.
    static func hexadecimal(reading text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        // At once: an array that grows leaves what it held behind.
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for digit in text {
            guard let value = value(of: digit) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Sequence<UInt8> {
    /// Two lowercase digits for each byte.
    var hexadecimal: String { String(decoding: digits, as: UTF8.self) }

    /// The same as ASCII, with room for one more byte, in memory that doesn't move meanwhile.
    var digits: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount + 1)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }
}

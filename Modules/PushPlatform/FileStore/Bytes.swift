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

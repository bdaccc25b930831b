#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Base32 (RFC 4648 section 6) as the server reads and writes signatures: upper case, padded, unused
/// bits zero. Anything else is refused, so each signature has one text.
enum Base32Text {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private static let padding = UInt8(ascii: "=")

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var output: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                output.append(digits[Int(bits >> count & 31)])
            }
        }
        if count > 0 { output.append(digits[Int(bits << (5 - count) & 31)]) }
        while !output.count.isMultiple(of: 8) { output.append(padding) }
        return String(decoding: output, as: UTF8.self)
    }

    /// - Returns: `nil` if the text isn't the one that ``encode(_:)`` makes of some bytes.
    static func decode(_ text: String) -> Data? {
        let bytes = Array(text.utf8)
        let body = bytes.prefix { $0 != padding }
        guard bytes.count.isMultiple(of: 8), bytes.count - body.count < 8,
            bytes[body.count...].allSatisfy({ $0 == padding }),
            [0, 2, 4, 5, 7].contains(body.count % 8)
        else { return nil }
        var output = Data(capacity: body.count * 5 / 8)
        var bits: UInt32 = 0
        var count = 0
        for byte in body {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 5 | value
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            output.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bits & (1 << count - 1) == 0 ? output : nil
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(byte - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}

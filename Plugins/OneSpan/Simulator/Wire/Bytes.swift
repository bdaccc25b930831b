import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension FixedWidthInteger {
    /// Its bytes, most significant first.
    var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

    /// The number that bytes make, most significant first; those that don't fit are lost.
    init(_ bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }
}

extension [UInt8] {
    /// The bytes of hexadecimal digits in either case; `nil` for anything else.
    init?(hex: String) {
        let digits = hex.utf8.map { byte -> UInt8? in
            switch byte {
            case 0x30...0x39: byte - 0x30
            case 0x41...0x46: byte - 0x41 + 10
            case 0x61...0x66: byte - 0x61 + 10
            default: nil
            }
        }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(high << 4 | low)
        }
    }

    /// Turns one bit, counted from the first of the first byte, and around the end.
    mutating func turn(bit: Int) {
        guard !isEmpty else { return }
        let position = Int(bit.magnitude % UInt(count * 8))
        self[position / 8] ^= 0x80 >> UInt8(position % 8)
    }
}

extension Sequence<UInt8> {
    /// Two upper-case hexadecimal digits for each byte.
    var hex: String {
        map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

extension Date {
    /// Milliseconds since 1970; 0 before that.
    var milliseconds: UInt64 {
        UInt64(min(max((timeIntervalSince1970 * 1000).rounded(), 0), 9e18))
    }
}

extension RandomSource {
    func array(_ count: Int) -> [UInt8] { bytes(count).withBytes { Array($0) } }
}

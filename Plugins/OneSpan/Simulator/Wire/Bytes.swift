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
        guard let bytes = Hexadecimal.bytes(hex.utf8) else { return nil }
        self = bytes
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
    var hex: String { Hexadecimal.text(Array(self), upperCase: true) }
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

/// Bytes as hexadecimal text, two digits each.
package enum Hexadecimal {
    /// Writes bytes.
    package static func text(_ bytes: [UInt8], upperCase: Bool = false) -> String {
        bytes.withUnsafeBytes { text($0, upperCase: upperCase) }
    }

    /// Writes lent bytes.
    package static func text(_ bytes: UnsafeRawBufferPointer, upperCase: Bool = false) -> String {
        guard !bytes.isEmpty else { return "" }
        return String(unsafeUninitializedCapacity: 2 * bytes.count) { output in
            for position in bytes.indices {
                output[2 * position] = digit(bytes[position] >> 4, upperCase)
                output[2 * position + 1] = digit(bytes[position] & 0x0F, upperCase)
            }
            return 2 * bytes.count
        }
    }

    /// Reads pairs of digits in either case; `nil` for anything else.
    ///
    /// The array has its room at once: one that grows leaves what it held behind.
    package static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
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

    /// What an ASCII digit stands for; `nil` for any other character.
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The ASCII digit of a number below 16.
    package static func digit(_ value: UInt8, _ upperCase: Bool = false) -> UInt8 {
        value < 10
            ? UInt8(ascii: "0") + value : UInt8(ascii: upperCase ? "A" : "a") + (value - 10)
    }
}

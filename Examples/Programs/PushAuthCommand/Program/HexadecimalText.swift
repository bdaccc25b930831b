import Foundation

extension Sequence<UInt8> {
    /// In hexadecimal, two digits a byte, in lower case.
    package var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension Data {
    /// The bytes of hexadecimal digits, two a byte; `nil` if they are anything else.
    init?(hexadecimal digits: some Collection<UInt8>) {
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init(capacity: digits.count / 2)
        var high: Int?
        for digit in digits {
            guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
            if let first = high { append(UInt8(first << 4 | value)) }
            high = high == nil ? value : nil
        }
    }
}

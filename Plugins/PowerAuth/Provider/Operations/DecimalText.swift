import PushCore

/// Decimal numbers as texts, as binary floating point holds most amounts of money only nearly.
enum DecimalText {
    /// As many significant digits survive the way through a double.
    private static let exactDigits = 15

    /// The number as plain digits with at most one point, such as `100.5`; `nil` if it isn't one,
    /// or if what was written can't be told exactly any more.
    static func text(_ json: JSON?) -> String? {
        switch json {
        case .string(let text)?: return isDecimal(text.utf8) ? text : nil
        case .number(let number)?:
            return number.integer.map { String($0) } ?? text(number.double)
        default: return nil
        }
    }

    /// Whether a text is an optional sign, digits, and perhaps a point with digits after it.
    static func isDecimal(_ text: some Collection<UInt8>) -> Bool {
        let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        let parts = digits.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        return digits.count <= 64
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { 0x30...0x39 ~= $0 }
            }
    }

    /// The shortest text that reads as this double has the digits that were written, as long as
    /// those are few enough.
    private static func text(_ double: Double) -> String? {
        let parts = "\(double.magnitude)".parts(at: "e", most: 2)
        guard let first = parts.first, let exponent = parts.count == 2 ? Int(parts[1]) : 0 else {
            return nil
        }
        let halves = first.parts(at: ".", most: 2)
        guard let whole = halves.first else { return nil }
        var fraction = halves.count == 2 ? String(halves[1]) : ""
        if fraction == "0" { fraction = "" }
        let digits = String(whole) + fraction
        let zero = UInt8(ascii: "0")
        let significant = digits.utf8.drop { $0 == zero }.reversed().drop { $0 == zero }
        guard significant.count <= exactDigits, abs(exponent) <= 40 else { return nil }
        let plain = placed(digits, point: whole.utf8.count + exponent)
        return double.sign == .minus ? "-" + plain : plain
    }

    /// Puts a point after so many digits, and zeros where there are none.
    private static func placed(_ digits: String, point: Int) -> String {
        if point <= 0 {
            return "0." + String(repeating: "0", count: -point) + digits
        }
        if point >= digits.utf8.count {
            return digits + String(repeating: "0", count: point - digits.utf8.count)
        }
        return String(digits.prefix(point)) + "." + String(digits.dropFirst(point))
    }
}

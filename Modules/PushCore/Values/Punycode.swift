/// International labels of host names, as they are written in ASCII (RFC 3492).
enum Punycode {
    /// Whether a label in lower case that starts with `xn--` stands for an international one, by
    /// the rules for the web's hosts (UTS 46) as far as the standard library knows them: neither
    /// the direction of text nor composition is checked.
    static func isValid(_ label: Substring) -> Bool {
        guard label.hasPrefix("xn--"), let scalars = decode(label.dropFirst(4)),
            scalars.contains(where: { !$0.isASCII }),
            let first = scalars.first, !first.properties.generalCategory.isMark
        else { return false }
        return scalars.indices.allSatisfy { isAllowed(scalars, at: $0) }
    }

    private static func isAllowed(_ scalars: [Unicode.Scalar], at position: Int) -> Bool {
        let scalar = scalars[position]
        switch scalar.value {
        case 0..<0x80: return true  // a label of a host holds nothing but letters, digits, - and _
        case 0xDF, 0x3C2: return true  // ß and ς: folded elsewhere, kept in hosts
        case 0x3002: return false  // a full stop, which parts labels
        case 0x200C, 0x200D: return isJoiner(scalars, at: position)
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator,
            .lineSeparator, .paragraphSeparator:
            return false
        default:
            return !scalar.properties.changesWhenNFKCCaseFolded
        }
    }

    /// Whether a joiner changes how its neighbours look (RFC 5892 appendix A).
    private static func isJoiner(_ scalars: [Unicode.Scalar], at position: Int) -> Bool {
        guard position > 0 else { return false }
        let previous = scalars[position - 1]
        if previous.properties.canonicalCombiningClass == .virama { return true }
        // The standard library doesn't know which letters are joined: those of this range mostly are.
        let joined: ClosedRange<UInt32> = 0x620...0x8FF
        return scalars[position].value == 0x200C && position + 1 < scalars.count
            && joined.contains(previous.value) && joined.contains(scalars[position + 1].value)
    }

    /// The characters of a label without its prefix; `nil` if it isn't Punycode, or has no digits
    /// of it.
    static func decode(_ label: Substring) -> [Unicode.Scalar]? {
        let bytes = Array(label.utf8)
        let hyphen = bytes.lastIndex(of: UInt8(ascii: "-")) ?? 0
        var scalars = bytes[..<hyphen].map(Unicode.Scalar.init)
        var digits = bytes[(hyphen > 0 ? hyphen + 1 : 0)...]
        guard !digits.isEmpty else { return nil }
        var value = 0x80
        var position = 0
        var bias = 72
        var isFirst = true
        while !digits.isEmpty {
            guard let delta = number(from: &digits, bias: bias) else { return nil }
            let count = scalars.count + 1
            bias = adapted(delta, count: count, isFirst: isFirst)
            isFirst = false
            position += delta
            value += position / count
            position %= count
            guard let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init) else {
                return nil
            }
            scalars.insert(scalar, at: position)
            position += 1
        }
        return scalars
    }

    /// One number of variable length.
    private static func number(from digits: inout ArraySlice<UInt8>, bias: Int) -> Int? {
        var result = 0
        var weight = 1
        var place = 36
        while let byte = digits.popFirst() {
            // No label of 63 characters needs a number near this one.
            guard let digit = digit(byte), weight < 1 << 32 else { return nil }
            result += digit * weight
            let threshold = min(max(place - bias, 1), 26)
            if digit < threshold { return result }
            weight *= 36 - threshold
            place += 36
        }
        return nil
    }

    private static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
        default: nil
        }
    }

    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var place = 0
        while delta > 455 {
            delta /= 35
            place += 36
        }
        return place + 36 * delta / (delta + 38)
    }
}

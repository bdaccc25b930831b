import PushCore

/// Reads base64 in one pass over a table, with one check of all characters at the end.
struct Base64Reader: BinaryTextReader {
    /// The text without its padding.
    private let text: UnsafeRawBufferPointer
    private let reading: Base64.Reading

    let count: Int

    /// Checks length and padding; the characters are checked while they are read.
    static func open(
        _ text: UnsafeRawBufferPointer, as reading: Base64.Reading
    ) -> Result<Base64Reader, PushError> {
        var body = text
        switch reading {
        case .standard:
            guard text.count.isMultiple(of: 4) else {
                return .failure(BinaryTextFault.length.pushError)
            }
            body = withoutPadding(text)
        case .url: break
        case .anyAlphabet: body = withoutPadding(text)
        }
        guard body.count % 4 != 1 else { return .failure(BinaryTextFault.length.pushError) }
        return .success(Base64Reader(body, as: reading))
    }

    private init(_ body: UnsafeRawBufferPointer, as reading: Base64.Reading) {
        text = body
        self.reading = reading
        count = body.count / 4 * 3 + max(body.count % 4 - 1, 0)
    }

    /// Drops up to two `=`; any other is outside every table.
    private static func withoutPadding(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var end = text.count
        while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: text[..<end])
    }

    func write(to output: UnsafeMutableRawBufferPointer) -> BinaryTextFault? {
        table.withUnsafeBufferPointer { table in
            var seen: UInt32 = 0
            var source = 0
            var target = 0
            for _ in 0..<(text.count / 4) {
                let value =
                    table[Int(text[source])] | table[256 + Int(text[source + 1])]
                    | table[512 + Int(text[source + 2])] | table[768 + Int(text[source + 3])]
                seen |= value
                output[target] = UInt8(truncatingIfNeeded: value >> 16)
                output[target + 1] = UInt8(truncatingIfNeeded: value >> 8)
                output[target + 2] = UInt8(truncatingIfNeeded: value)
                source += 4
                target += 3
            }
            return writeTail(from: source, to: output, at: target, table, seen: seen)
        }
    }

    private func writeTail(
        from source: Int, to output: UnsafeMutableRawBufferPointer, at target: Int,
        _ table: UnsafeBufferPointer<UInt32>, seen: UInt32
    ) -> BinaryTextFault? {
        var seen = seen
        var unused: UInt32 = 0
        let rest = text.count - source
        if rest > 0 {
            var value = table[Int(text[source])] | table[256 + Int(text[source + 1])]
            if rest == 3 { value |= table[512 + Int(text[source + 2])] }
            seen |= value
            output[target] = UInt8(truncatingIfNeeded: value >> 16)
            if rest == 3 { output[target + 1] = UInt8(truncatingIfNeeded: value >> 8) }
            unused = value & (rest == 3 ? 0xFF : 0xFFFF)
        }
        guard seen < Self.fault else { return .character }
        return unused == 0 || reading == .anyAlphabet ? nil : .trailingBits
    }

    // MARK: Tables

    /// Looked up where it is used, as an array in each copy of this value would be counted.
    private var table: [UInt32] {
        switch reading {
        case .standard: Self.standard
        case .url: Self.url
        case .anyAlphabet: Self.anyAlphabet
        }
    }

    private static let standard = table(UInt8(ascii: "+"), UInt8(ascii: "/"))
    private static let url = table(UInt8(ascii: "-"), UInt8(ascii: "_"))
    private static let anyAlphabet = zip(standard, url).map { min($0, $1) }

    /// Stands for a byte outside the alphabet: more than the 24 bits of four characters.
    private static let fault: UInt32 = 1 << 24

    /// Each byte's six bits, four times: where they belong if it is the first of four characters, the
    /// second, the third and the fourth.
    private static func table(_ value62: UInt8, _ value63: UInt8) -> [UInt32] {
        var sextets = [UInt32](repeating: fault, count: 256)
        let letters = UInt8(ascii: "A")...UInt8(ascii: "Z")
        let ordered =
            Array(letters) + letters.map { $0 | 0x20 }
            + Array(UInt8(ascii: "0")...UInt8(ascii: "9")) + [value62, value63]
        for (value, character) in ordered.enumerated() {
            sextets[Int(character)] = UInt32(value)
        }
        return [18, 12, 6, 0].flatMap { shift in
            sextets.map { $0 == fault ? fault : $0 << shift }
        }
    }
}

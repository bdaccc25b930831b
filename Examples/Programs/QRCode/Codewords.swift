/// A text as the codewords of a symbol: bytes with their length, padded, corrected, interleaved
/// (ISO/IEC 18004, 7.4 to 7.6).
struct Codewords {
    let bytes: [UInt8]

    init(_ text: [UInt8], _ version: SymbolVersion, _ level: ErrorCorrection) {
        let data = Self.padded(text, version, level)
        let count = version.blocks(level)
        let corrector = ReedSolomon(count: version.corrections(level))
        let short = data.count / count
        let shortCount = count - data.count % count
        var blocks: [ArraySlice<UInt8>] = []
        var rest = data[...]
        for index in 0..<count {
            let length = index < shortCount ? short : short + 1
            blocks.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        let corrections = blocks.map(corrector.corrections)
        bytes = Self.interleaved(blocks) + Self.interleaved(corrections.map { $0[...] })
    }

    private static func padded(
        _ text: [UInt8], _ version: SymbolVersion, _ level: ErrorCorrection
    ) -> [UInt8] {
        let capacity = version.dataCodewords(level)
        var bits = Bits()
        bits.append(0b0100, count: 4)
        bits.append(text.count, count: version.lengthBits)
        for byte in text { bits.append(Int(byte), count: 8) }
        bits.append(0, count: min(4, capacity * 8 - bits.count))
        bits.append(0, count: (8 - bits.count % 8) % 8)
        for index in 0..<(capacity - bits.count / 8) {
            bits.append(index.isMultiple(of: 2) ? 0xEC : 0x11, count: 8)
        }
        return bits.bytes
    }

    /// The first of each block, then the second of each, and so on; some blocks are shorter.
    private static func interleaved(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        let length = blocks.map(\.count).max() ?? 0
        return (0..<length).flatMap { offset in
            blocks.compactMap { $0.count > offset ? $0[$0.startIndex + offset] : nil }
        }
    }

    private struct Bits {
        private(set) var bytes: [UInt8] = []
        private(set) var count = 0

        mutating func append(_ value: Int, count added: Int) {
            for bit in (0..<added).reversed() {
                if count.isMultiple(of: 8) { bytes.append(0) }
                bytes[count / 8] |= UInt8(value >> bit & 1) << (7 - count % 8)
                count += 1
            }
        }
    }
}

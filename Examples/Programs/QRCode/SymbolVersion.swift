/// How large a symbol is, and how its codewords are divided (ISO/IEC 18004, tables 1, 9 and E.1).
struct SymbolVersion {
    /// 1 to 40.
    let number: Int

    static let all = 1...40

    /// Modules on each side.
    var size: Int { 17 + 4 * number }

    /// Where alignment patterns have their middles, on either axis.
    var alignment: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<count - 1).reversed().map { size - 7 - $0 * step }
    }

    /// Data and error correction together.
    var codewords: Int {
        var modules = (16 * number + 128) * number + 64
        if number > 1 {
            let count = number / 7 + 2
            modules -= (25 * count - 10) * count - 55
        }
        if number >= 7 { modules -= 36 }
        return modules / 8
    }

    /// How many blocks the codewords are divided into.
    func blocks(_ level: ErrorCorrection) -> Int { Self.blocks[level.rawValue][number - 1] }

    /// How many codewords of each block correct errors.
    func corrections(_ level: ErrorCorrection) -> Int {
        Self.corrections[level.rawValue][number - 1]
    }

    /// How many codewords are left for data.
    func dataCodewords(_ level: ErrorCorrection) -> Int {
        codewords - blocks(level) * corrections(level)
    }

    /// How many bits say the length of a text of bytes.
    var lengthBits: Int { number < 10 ? 8 : 16 }

    /// How many bytes fit.
    func capacity(_ level: ErrorCorrection) -> Int {
        (dataCodewords(level) * 8 - 4 - lengthBits) / 8
    }

    private static let blocks = [
        [
            1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8,
            8, 9, 9, 10, 12, 12, 12, 13, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
        ],
        [
            1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16,
            17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
        ],
        [
            1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20,
            23, 23, 25, 27, 29, 34, 34, 35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
        ],
        [
            1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25,
            25, 34, 30, 32, 35, 37, 40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
        ],
    ]

    private static let corrections = [
        [
            7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28,
            28, 28, 30, 30, 26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        [
            10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
            26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        ],
        [
            13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30,
            28, 30, 30, 30, 30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
        [
            17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28,
            30, 24, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        ],
    ]
}

/// One of the eight patterns that keep a symbol from misleading its reader (ISO/IEC 18004, 7.8).
struct Mask {
    let number: Int

    func inverts(_ row: Int, _ column: Int) -> Bool {
        switch number {
        case 0: (row + column).isMultiple(of: 2)
        case 1: row.isMultiple(of: 2)
        case 2: column.isMultiple(of: 3)
        case 3: (row + column).isMultiple(of: 3)
        case 4: (row / 2 + column / 3).isMultiple(of: 2)
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3).isMultiple(of: 2)
        default: ((row + column) % 2 + row * column % 3).isMultiple(of: 2)
        }
    }

    func applied(to modules: Modules, _ level: ErrorCorrection) -> Modules {
        var masked = modules
        for row in 0..<modules.size {
            for column in 0..<modules.size
            where !modules.isFixed(row, column) && inverts(row, column) {
                masked[row, column].toggle()
            }
        }
        masked.addFormat(level.indicator << 3 | number)
        return masked
    }
}

extension Modules {
    /// How hard it is to read (ISO/IEC 18004, 7.8.3).
    var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            penalty += Self.penalty(ofLine: (0..<size).map { self[line, $0] })
            penalty += Self.penalty(ofLine: (0..<size).map { self[$0, line] })
        }
        var darkCount = 0
        for row in 0..<size {
            for column in 0..<size {
                let isDark = self[row, column]
                if isDark { darkCount += 1 }
                guard row + 1 < size, column + 1 < size else { continue }
                if isDark == self[row + 1, column], isDark == self[row, column + 1],
                    isDark == self[row + 1, column + 1]
                {
                    penalty += 3
                }
            }
        }
        let percent = darkCount * 100 / (size * size)
        return penalty + abs(percent - 50) / 5 * 10
    }

    /// What looks like the middle of a finder with light modules before or behind it, a bit each.
    private static let decoys = [0b101_1101_0000, 0b000_0101_1101]

    private static func penalty(ofLine line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        var before: Bool?
        var last = 0
        var count = 0
        for isDark in line {
            run = isDark == before ? run + 1 : 1
            if run == 5 { penalty += 3 }
            if run > 5 { penalty += 1 }
            before = isDark
            last = (last << 1 | (isDark ? 1 : 0)) & 0x7FF
            count += 1
            if count >= 11, last == decoys[0] || last == decoys[1] { penalty += 40 }
        }
        return penalty
    }
}

/// A square of modules, and which of them aren't data.
struct Modules {
    let size: Int
    private var dark: [Bool]
    private var fixed: [Bool]

    init(size: Int) {
        self.size = size
        dark = Array(repeating: false, count: size * size)
        fixed = dark
    }

    subscript(row: Int, column: Int) -> Bool {
        get { dark[row * size + column] }
        set { dark[row * size + column] = newValue }
    }

    func isFixed(_ row: Int, _ column: Int) -> Bool { fixed[row * size + column] }

    /// Sets a module that no mask changes; ones outside are left out.
    mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
        guard (0..<size).contains(row), (0..<size).contains(column) else { return }
        self[row, column] = isDark
        fixed[row * size + column] = true
    }
}

// MARK: Function patterns (ISO/IEC 18004, 6.3)

extension Modules {
    init(_ version: SymbolVersion) {
        self.init(size: version.size)
        for index in 0..<size {
            fix(6, index, index.isMultiple(of: 2))
            fix(index, 6, index.isMultiple(of: 2))
        }
        for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { addFinder(row, column) }
        let middles = version.alignment
        for row in middles {
            for column in middles where !isCorner(row, column, middles) {
                addAlignment(row, column)
            }
        }
        if version.number >= 7 { addVersion(version.number) }
        // Room for the format, which depends on the mask.
        addFormat(0)
    }

    private func isCorner(_ row: Int, _ column: Int, _ middles: [Int]) -> Bool {
        let (first, last) = (middles.first, middles.last)
        return (row == first && column == first) || (row == first && column == last)
            || (row == last && column == first)
    }

    private mutating func addFinder(_ row: Int, _ column: Int) {
        for y in -4...4 {
            for x in -4...4 {
                let distance = max(abs(x), abs(y))
                fix(row + y, column + x, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func addAlignment(_ row: Int, _ column: Int) {
        for y in -2...2 {
            for x in -2...2 { fix(row + y, column + x, max(abs(x), abs(y)) != 1) }
        }
    }

    private mutating func addVersion(_ number: Int) {
        let bits = Self.extended(number, by: 12, generator: 0x1F25)
        for bit in 0..<18 {
            let (far, near) = (size - 11 + bit % 3, bit / 3)
            fix(near, far, bits >> bit & 1 == 1)
            fix(far, near, bits >> bit & 1 == 1)
        }
    }

    /// Writes level and mask, twice.
    mutating func addFormat(_ value: Int) {
        let bits = Self.extended(value, by: 10, generator: 0x537) ^ 0x5412
        for bit in 0..<15 {
            let isDark = bits >> bit & 1 == 1
            switch bit {
            case 0...5: fix(bit, 8, isDark)
            case 6, 7: fix(bit + 1, 8, isDark)
            case 8: fix(8, 7, isDark)
            default: fix(8, 14 - bit, isDark)
            }
            if bit < 8 { fix(8, size - 1 - bit, isDark) } else { fix(size - 15 + bit, 8, isDark) }
        }
        fix(size - 8, 8, true)
    }

    /// A value followed by the remainder that protects it (BCH).
    private static func extended(_ value: Int, by count: Int, generator: Int) -> Int {
        var remainder = value
        for _ in 0..<count {
            remainder = (remainder << 1) ^ ((remainder >> (count - 1)) * generator)
        }
        return value << count | remainder
    }
}

// MARK: Data (ISO/IEC 18004, 7.7)

extension Modules {
    /// Places codewords in columns of two, up and down from the right, around what is fixed.
    mutating func place(_ codewords: [UInt8]) {
        var bit = 0
        var right = size - 1
        var isUpward = true
        while right > 0 {
            if right == 6 { right = 5 }
            for step in 0..<size {
                let row = isUpward ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed(row, column) {
                    guard bit < codewords.count * 8 else { continue }
                    self[row, column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            isUpward.toggle()
            right -= 2
        }
    }
}

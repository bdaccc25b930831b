/// Error correction over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (ISO/IEC 18004, 7.5.2).
struct ReedSolomon {
    /// The generator's coefficients, the leading 1 left out.
    private let generator: [UInt8]

    /// - Parameter count: How many codewords correct errors.
    init(count: Int) {
        var generator = [UInt8](repeating: 0, count: count)
        generator[count - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<count {
            for index in generator.indices {
                generator[index] = Self.product(generator[index], root)
                if index + 1 < count { generator[index] ^= generator[index + 1] }
            }
            root = Self.product(root, 2)
        }
        self.generator = generator
    }

    /// What corrects a block's data.
    func corrections(of data: some Sequence<UInt8>) -> [UInt8] {
        var remainder = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices {
                remainder[index] ^= Self.product(generator[index], factor)
            }
        }
        return remainder
    }

    private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var product = 0
        for bit in (0..<8).reversed() {
            product = (product << 1) ^ ((product >> 7) * 0x11D)
            product ^= Int(other >> bit & 1) * Int(one)
        }
        return UInt8(truncatingIfNeeded: product)
    }
}

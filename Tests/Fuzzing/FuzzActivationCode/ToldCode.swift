/// An activation code, told without the SDK: 20 characters of Base32 in groups of five, which are ten
/// bytes, their CRC-16/ARC and four bits of zero.
struct ToldCode {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 23 else { return nil }
        var bits: [Bool] = []
        for (place, character) in characters.enumerated() {
            if place % 6 == 5 {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = Self.alphabet.firstIndex(of: character) else { return nil }
            bits += (0..<5).map { value >> (4 - $0) & 1 == 1 }
        }
        guard bits.suffix(4).allSatisfy({ !$0 }),
            Self.remainder(bits.prefix(80)) == Array(bits[80..<96])
        else { return nil }
    }

    /// The checksum by long division, the lowest bit of each byte first, as ARC does; the highest bit
    /// of the result first.
    private static func remainder(_ bits: ArraySlice<Bool>) -> [Bool] {
        let bits = Array(bits)
        var rest: UInt16 = 0
        for byte in stride(from: 0, to: bits.count, by: 8) {
            for bit in bits[byte..<byte + 8].reversed() {
                let isOdd = (rest & 0x8000 != 0) != bit
                rest = rest << 1 ^ (isOdd ? 0x8005 : 0)
            }
        }
        // Reflected: the lowest bit of the division is the highest one of the checksum.
        return (0..<16).map { rest >> UInt16($0) & 1 == 1 }
    }
}

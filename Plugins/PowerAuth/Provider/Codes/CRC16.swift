/// CRC-16/ARC: the polynomial 0xA001 reflected, from 0, with no final step.
enum CRC16 {
    /// The checksum of the bytes.
    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
        var remainder: UInt16 = 0
        for byte in bytes {
            remainder ^= UInt16(byte)
            for _ in 0..<8 {
                remainder = remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ 0xA001
            }
        }
        return remainder
    }
}

/// The decimal digits that people compare or copy in place of a digest.
enum DecimalCode {
    /// Writes the last digits of a digest's last 31 bits, padded with zeros.
    ///
    /// - Parameters:
    ///   - digest: Four bytes at least.
    ///   - output: As many bytes as there shall be digits, of ASCII.
    static func write(_ digest: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer) {
        let tail = digest.loadUnaligned(fromByteOffset: digest.count - 4, as: UInt32.self)
        var number = UInt32(bigEndian: tail) & 0x7FFF_FFFF
        for position in output.indices.reversed() {
            output[position] = UInt8(ascii: "0") + UInt8(number % 10)
            number /= 10
        }
    }
}

/// Runs of characters that stand for themselves in a JSON string, found eight at a time: this is
/// where reading and writing spend their time.
enum PlainRun {
    /// How many of the bytes from an offset on are printable ASCII, neither `"` nor `\`, up to the
    /// first that isn't.
    static func length(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        let memory = UnsafeRawBufferPointer(bytes)
        var position = start
        while bytes.count - position >= 8 {
            let word = memory.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let plain = plainPrefix(of: UInt64(littleEndian: word))
            position += plain
            if plain < 8 { return position - start }
        }
        while position < bytes.count, isPlain(bytes[position]) { position += 1 }
        return position - start
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        0x20..<0x80 ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// How many of eight bytes, from the lowest, are plain.
    private static func plainPrefix(of word: UInt64) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highBits: UInt64 = 0x8080_8080_8080_8080
        let quotes = (word ^ (ones &* UInt64(UInt8(ascii: "\"")))) &- ones
        let backslashes = (word ^ (ones &* UInt64(UInt8(ascii: "\\")))) &- ones
        let controls = word &- (ones &* 0x20)
        // A byte that isn't plain gets its high bit set. So may a byte above it, by its borrow: only
        // the lowest mark counts.
        let marks = (quotes | backslashes | controls | word) & highBits
        return marks.trailingZeroBitCount / 8
    }
}

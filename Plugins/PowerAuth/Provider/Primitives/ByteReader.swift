/// Reads the byte strings of the vendor's own formats: a length in one, two or four bytes, of which the
/// two highest bits of the first one tell, and as many bytes.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Whether everything was read.
    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// A length, or a number of things.
    mutating func number() -> Int? {
        guard let first = byte() else { return nil }
        var more = 0
        switch first >> 6 {
        case 0b10: more = 1
        case 0b11: more = 3
        default: return Int(first)
        }
        var value = Int(first & 0x3F)
        for _ in 0..<more {
            guard let next = byte() else { return nil }
            value = value << 8 | Int(next)
        }
        return value
    }

    /// A byte string after its length.
    mutating func block() -> UnsafeRawBufferPointer? {
        number().flatMap { bytes(count: $0) }
    }

    /// A number in four bytes, the highest first.
    mutating func word() -> UInt32? {
        bytes(count: 4)?.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func bytes(count: Int) -> UnsafeRawBufferPointer? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }
}

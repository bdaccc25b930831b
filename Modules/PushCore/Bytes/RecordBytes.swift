/// Reads numbers and blocks of lent bytes, from front to back: numbers have their most significant
/// byte first, blocks their length in four bytes before them. What isn't there is `nil`.
struct RecordReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { position == bytes.count }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        bytes(MemoryLayout<Number>.size).map { Number(bigEndian: $0.loadUnaligned(as: type)) }
    }

    mutating func block() -> UnsafeRawBufferPointer? {
        number(UInt32.self).flatMap { bytes(Int($0)) }
    }

    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count <= bytes.count - position else { return nil }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    /// As many of a kind as `count` says.
    mutating func list<Element>(
        _ count: (some FixedWidthInteger)?, _ read: (inout RecordReader) -> Element?
    ) -> [Element]? {
        guard let count else { return nil }
        var list: [Element] = []
        // A count that is false takes no more memory than the bytes that are there.
        for _ in 0..<count {
            guard let element = read(&self) else { return nil }
            list.append(element)
        }
        return list
    }
}

/// Writes what ``RecordReader`` reads, into memory that has the room for it.
struct RecordWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private var position = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    mutating func put(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.bigEndian) { put($0) }
    }

    mutating func putBlock(_ bytes: UnsafeRawBufferPointer) {
        put(UInt32(bytes.count))
        put(bytes)
    }

    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[position...]).copyMemory(from: bytes)
        position += bytes.count
    }
}

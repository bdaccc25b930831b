import PushCore

/// Writes text and bytes one after the other into memory of a size that was reckoned before.
struct ByteWriter {
    private let output: UnsafeMutableRawBufferPointer
    private(set) var position = 0

    init(_ output: UnsafeMutableRawBufferPointer) {
        self.output = output
    }

    /// How many bytes are still free.
    var room: Int { output.count - position }

    /// Appends a text of ASCII that stands in the code.
    @inline(__always)
    mutating func put(ascii text: StaticString) {
        put(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes.
    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        rest.copyMemory(from: bytes)
        position += bytes.count
    }

    /// How many bytes a length has.
    static let lengthCount = 4

    /// Appends bytes after their length, as ``SizedParts`` does.
    mutating func put(sized bytes: UnsafeRawBufferPointer) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: bytes.count).bigEndian) { put($0) }
        put(bytes)
    }

    /// Appends a text in UTF-8.
    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    /// Appends bytes in Base64.
    mutating func put(base64 bytes: UnsafeRawBufferPointer) {
        position += Base64Text.write(bytes, to: rest)
    }

    /// What is still free.
    private var rest: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: output[position...])
    }
}

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

extension RandomSource {
    /// A nonce, or other unpredictable bytes that are sent as they are: no secret.
    func array(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { output, written in
            fill(nonce: UnsafeMutableRawBufferPointer(start: output.baseAddress, count: count))
            written = count
        }
    }
}

/// SipHash-2-4 with 128 bits of output, by Aumasson and Bernstein: a hash under a key. Whoever
/// doesn't know the key can't make two texts meet.
struct SipHash: Sendable {
    /// The hash of a text: its first byte is the most significant one.
    struct Digest: Hashable, Sendable {
        let high: UInt64
        let low: UInt64

        var hexadecimal: String {
            [high, low].map { number in
                withUnsafeBytes(of: number.bigEndian) { Hexadecimal.text($0) }
            }.joined()
        }
    }

    let key: Secret

    /// `nil` unless the key has 16 bytes.
    init?(key: Secret) {
        guard key.count == 16 else { return nil }
        self.key = key
    }

    func digest(of text: some Sequence<UInt8>) -> Digest {
        var state = key.withBytes { State($0) }
        var word: UInt64 = 0
        var count = 0
        for byte in text {
            word |= UInt64(byte) << UInt64(8 * (count & 7))
            count += 1
            if count & 7 == 0 {
                state.take(word)
                word = 0
            }
        }
        state.take(word | UInt64(count & 0xFF) << 56)
        state.v2 ^= 0xEE
        let first = state.finish()
        state.v1 ^= 0xDD
        return Digest(high: first.byteSwapped, low: state.finish().byteSwapped)
    }

    private struct State {
        var v0: UInt64 = 0x736F_6D65_7073_6575
        var v1: UInt64 = 0x646F_7261_6E64_6F6D ^ 0xEE
        var v2: UInt64 = 0x6C79_6765_6E65_7261
        var v3: UInt64 = 0x7465_6462_7974_6573

        init(_ key: UnsafeRawBufferPointer) {
            let first = UInt64(littleEndian: key.loadUnaligned(as: UInt64.self))
            let last = UInt64(
                littleEndian: key.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            v0 ^= first
            v1 ^= last
            v2 ^= first
            v3 ^= last
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            for _ in 0..<2 { mix() }
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            for _ in 0..<4 { mix() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func mix() {
            v0 &+= v1
            v2 &+= v3
            v1 = Self.rotated(v1, 13) ^ v0
            v3 = Self.rotated(v3, 16) ^ v2
            v0 = Self.rotated(v0, 32)
            v2 &+= v1
            v0 &+= v3
            v1 = Self.rotated(v1, 17) ^ v2
            v3 = Self.rotated(v3, 21) ^ v0
            v2 = Self.rotated(v2, 32)
        }

        private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word << count | word >> (64 - count)
        }
    }
}

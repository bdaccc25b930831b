package import Crypto
package import PushCore

/// HMAC-SHA256 (RFC 2104) as two runs of SHA-256 over a scratch buffer that the caller lends.
///
/// The general-purpose `HMAC` type takes several times as long to set itself up as SHA-256 takes
/// for messages as short as a token or a signature's input.
package enum FastHMAC {
    /// How many bytes a code has.
    package static let byteCount = 32

    /// How many bytes of scratch it wants: a block, and a digest or a short message.
    package static let scratchCount = blockCount + shortCount

    private static let blockCount = 64

    /// Up to here, one run over a copy is faster than a second call.
    private static let shortCount = 64

    /// Writes the code for a message to 32 bytes of output, which may overlap message and key.
    ///
    /// The scratch is left holding what follows from the key; its owner clears it.
    package static func authenticate(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
        scratch: UnsafeMutableRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        let block = UnsafeMutableRawBufferPointer(rebasing: scratch[..<blockCount])
        let rest = UnsafeMutableRawBufferPointer(rebasing: scratch[blockCount..<scratchCount])
        block.initializeMemory(as: UInt8.self, repeating: 0)
        if key.count > blockCount {
            SHA256.digest(of: key).withUnsafeBytes { block.copyMemory(from: $0) }
        } else {
            block.copyMemory(from: key)
        }
        invert(block, by: 0x3636_3636_3636_3636)
        inner(UnsafeRawBufferPointer(block), message, rest)
            .withUnsafeBytes { rest.copyMemory(from: $0) }
        // From the inner padding to the outer one: 0x36 ^ 0x5C.
        invert(block, by: 0x6A6A_6A6A_6A6A_6A6A)
        SHA256.digest(of: UnsafeRawBufferPointer(rebasing: scratch[..<(blockCount + byteCount)]))
            .withUnsafeBytes { output.copyMemory(from: $0) }
    }

    /// The digest of a block and what follows it; `rest` lies behind the block.
    private static func inner(
        _ block: UnsafeRawBufferPointer, _ message: UnsafeRawBufferPointer,
        _ rest: UnsafeMutableRawBufferPointer
    ) -> SHA256Digest {
        guard message.count > shortCount else {
            rest.copyMemory(from: message)
            return SHA256.digest(
                of: UnsafeRawBufferPointer(
                    start: block.baseAddress, count: blockCount + message.count))
        }
        var digest = SHA256()
        digest.update(bufferPointer: block)
        digest.update(bufferPointer: message)
        return digest.finalize()
    }

    /// The code for a message, in memory that is zeroed when released.
    package static func code(for message: UnsafeRawBufferPointer, key: Secret) -> Secret {
        Secret(count: byteCount) { output in
            withScratch(scratchCount) { scratch in
                key.withBytes { authenticate(message, key: $0, scratch: scratch, into: output) }
            }
        }
    }

    /// Lends the code for a message, which is zeroed afterwards.
    package static func withCode<Value>(
        for message: UnsafeRawBufferPointer, key: Secret,
        _ body: (UnsafeRawBufferPointer) -> Value
    ) -> Value {
        withScratch(scratchCount + byteCount) { scratch in
            let code = UnsafeMutableRawBufferPointer(rebasing: scratch[scratchCount...])
            key.withBytes { authenticate(message, key: $0, scratch: scratch, into: code) }
            return body(UnsafeRawBufferPointer(code))
        }
    }

    /// Whether a code is the message's. Codes are compared in constant time.
    package static func isCode(
        _ code: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer, key: Secret
    ) -> Bool {
        guard code.count == byteCount else { return false }
        return withCode(for: message, key: key) { own in
            var difference: UInt8 = 0
            for position in 0..<byteCount { difference |= own[position] ^ code[position] }
            return difference == 0
        }
    }

    /// Lends memory that is zeroed afterwards.
    package static func withScratch<Value>(
        _ count: Int, _ body: (UnsafeMutableRawBufferPointer) -> Value
    ) -> Value {
        withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { scratch in
            defer { scratch.zero() }
            return body(scratch)
        }
    }

    private static func invert(_ block: UnsafeMutableRawBufferPointer, by mask: UInt64) {
        for offset in stride(from: 0, to: blockCount, by: 8) {
            let word = block.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            block.storeBytes(of: word ^ mask, toByteOffset: offset, as: UInt64.self)
        }
    }
}

extension SHA256 {
    /// The digest of lent bytes. The general functions walk through the regions of what they are given,
    /// which takes longer than to hash a token.
    package static func digest(of bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        var digest = SHA256()
        digest.update(bufferPointer: bytes)
        return digest.finalize()
    }
}

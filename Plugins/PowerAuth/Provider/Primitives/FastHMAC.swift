import Crypto
import PushCore

/// HMAC-SHA256 (RFC 2104) as two runs of SHA-256 over a scratch buffer that the caller lends.
///
/// The general-purpose `HMAC` type takes several times as long to set itself up as SHA-256 takes
/// for messages as short as this protocol's, and a signature of two factors asks for five codes.
enum FastHMAC {
    /// How many bytes a code has.
    static let byteCount = 32

    /// How many bytes of scratch it wants: a block and a digest.
    static let scratchCount = blockCount + byteCount

    private static let blockCount = 64

    /// Writes the code for a message to 32 bytes of output, which may overlap message and key.
    ///
    /// The scratch is left holding what follows from the key; its owner clears it.
    static func authenticate(
        _ message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
        scratch: UnsafeMutableRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        let block = UnsafeMutableRawBufferPointer(rebasing: scratch[..<blockCount])
        let digest = UnsafeMutableRawBufferPointer(rebasing: scratch[blockCount..<scratchCount])
        block.initializeMemory(as: UInt8.self, repeating: 0)
        if key.count > blockCount {
            hash(key, into: block)
        } else {
            block.copyMemory(from: key)
        }
        invert(block, by: 0x3636_3636_3636_3636)
        var inner = SHA256()
        inner.update(bufferPointer: UnsafeRawBufferPointer(block))
        inner.update(bufferPointer: message)
        inner.finalize().withUnsafeBytes { digest.copyMemory(from: $0) }
        // From the inner padding to the outer one: 0x36 ^ 0x5C.
        invert(block, by: 0x6A6A_6A6A_6A6A_6A6A)
        hash(UnsafeRawBufferPointer(rebasing: scratch[..<scratchCount]), into: output)
    }

    /// The code for a message, in memory that is zeroed when released.
    static func code(for message: UnsafeRawBufferPointer, key: Secret) -> Secret {
        Secret(count: byteCount) { output in
            let scratch = Secret(count: scratchCount) { scratch in
                key.withBytes { authenticate(message, key: $0, scratch: scratch, into: output) }
            }
            _ = scratch
        }
    }

    private static func hash(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        var digest = SHA256()
        digest.update(bufferPointer: bytes)
        digest.finalize().withUnsafeBytes { output.copyMemory(from: $0) }
    }

    private static func invert(_ block: UnsafeMutableRawBufferPointer, by mask: UInt64) {
        for offset in stride(from: 0, to: blockCount, by: 8) {
            let word = block.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            block.storeBytes(of: word ^ mask, toByteOffset: offset, as: UInt64.self)
        }
    }
}

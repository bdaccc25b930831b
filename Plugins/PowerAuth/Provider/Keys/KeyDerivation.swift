import PushCore
import PushJOSE

/// How the protocol makes keys of a key.
enum KeyDerivation {
    /// `KDF`: one AES block of a key's number, most significant byte first.
    ///
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - index: The number of the key that is asked for.
    /// - Returns: 16 bytes.
    /// - Throws: `PushError` with the code `invalidArgument` if the key isn't of 16 bytes.
    static func key(_ key: Secret, index: UInt64) throws(PushError) -> Secret {
        let block = Secret(count: BlockCipher.blockCount) { block in
            block.storeBytes(of: index.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return try BlockCipher.derive(from: block, key: key)
    }

    /// `KDF_INTERNAL`: the folded HMAC-SHA256 of the data.
    ///
    /// The vendor's prose swaps key and message; its code and its vectors have them in this order.
    ///
    /// - Parameters:
    ///   - key: The key of the HMAC, 16 bytes wherever the protocol asks for it.
    ///   - data: The message.
    /// - Returns: 16 bytes.
    static func internalKey(_ key: Secret, _ data: some Collection<UInt8>) -> Secret {
        let lent = data.withContiguousStorageIfAvailable {
            FastHMAC.code(for: UnsafeRawBufferPointer($0), key: key)
        }
        if let lent { return lent.folded() }
        return Array(data).withUnsafeBytes { FastHMAC.code(for: $0, key: key).folded() }
    }

    /// `KDF_INTERNAL` of a secret message.
    static func internalKey(_ key: Secret, _ data: Secret) -> Secret {
        data.withBytes { FastHMAC.code(for: $0, key: key).folded() }
    }
}

extension Secret {
    /// The exclusive or of its two halves: how the protocol makes 16-byte keys of 32 bytes.
    ///
    /// It is asked of 32 bytes alone. Of an odd number, the byte in the middle is left out.
    func folded() -> Secret {
        withBytes { bytes in
            let half = bytes.count / 2
            return Secret(count: half) { output in
                for index in 0..<half {
                    output[index] = bytes[index] ^ bytes[bytes.count - half + index]
                }
            }
        }
    }
}

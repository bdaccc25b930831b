import Crypto
import CryptoExtras
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// AES-128 in CBC mode (NIST SP 800-38A), with PKCS#7 padding or with none.
enum BlockCipher {
    /// How many bytes a block, a key and an initialization vector have.
    static let blockCount = 16

    /// The initialization vector of whatever is encrypted under a key that is used once.
    static let zeroIV = [UInt8](repeating: 0, count: blockCount)

    /// Encrypts.
    ///
    /// - Parameters:
    ///   - plain: Without padding, whole blocks.
    ///   - key: 16 bytes. A longer one would silently select another AES, and is refused.
    ///   - iv: 16 bytes.
    ///   - padding: Whether to pad, by one whole block at least in the case of whole blocks.
    /// - Returns: The ciphertext.
    /// - Throws: `PushError` with the code `invalidArgument`.
    static func encrypt(
        _ plain: Secret, key: Secret, iv: [UInt8], padding: Bool
    ) throws(PushError) -> [UInt8] {
        try [UInt8](encrypted(plain, key: key, iv: iv, padding: padding))
    }

    /// Encrypts one block to what is a key itself, from a vector of zeros, without padding: the bare
    /// block, as that vector changes nothing.
    ///
    /// - Throws: `PushError` with the code `invalidArgument` if either has another size.
    static func derive(from block: Secret, key: Secret) throws(PushError) -> Secret {
        guard key.count == blockCount, block.count == blockCount else { throw wrongSize }
        let key = key.withBytes { SymmetricKey(data: $0) }
        var isDone = false
        let derived = Secret(count: blockCount) { output in
            block.withBytes { output.copyMemory(from: $0) }
            var bytes = output.bindMemory(to: UInt8.self)
            isDone = (try? AES.permute(&bytes, key: key)) != nil
        }
        guard isDone else { throw wrongSize }
        return derived
    }

    /// Encrypts, as ``encrypt(_:key:iv:padding:)`` does.
    static func encrypted(
        _ plain: Secret, key: Secret, iv: [UInt8], padding: Bool
    ) throws(PushError) -> Data {
        let (key, iv) = try parameters(key: key, iv: iv)
        guard padding || plain.count.isMultiple(of: blockCount) else {
            throw PushError(.invalidArgument, "Without padding, only whole blocks are encrypted.")
        }
        do {
            return try plain.withBytes {
                try AES._CBC.encrypt($0, using: key, iv: iv, noPadding: !padding)
            }
        } catch {
            throw PushError(.invalidArgument, "The bytes can't be encrypted.", underlying: error)
        }
    }

    /// Decrypts.
    ///
    /// Every fault of the encrypted bytes gives the same error. Check their MAC first, if they
    /// have one: how padding fails must tell nobody anything.
    ///
    /// - Throws: `PushError` with the code `untrusted` if they don't decrypt, `invalidArgument` if
    ///   key or vector have another size.
    static func decrypt(
        _ encrypted: some Collection<UInt8>, key: Secret, iv: [UInt8], padding: Bool
    ) throws(PushError) -> Secret {
        let (key, iv) = try parameters(key: key, iv: iv)
        guard !encrypted.isEmpty, encrypted.count.isMultiple(of: blockCount) else {
            throw undecryptable
        }
        // The library copies all but `Data`, and for padding it copies once more.
        let data = encrypted as? Data ?? Data(encrypted)
        guard
            var plain = try? AES._CBC.decrypt(data, using: key, iv: iv, noPadding: true)
        else { throw undecryptable }
        defer { plain.resetBytes(in: plain.startIndex..<plain.endIndex) }
        let secret = plain.withUnsafeBytes { plain in
            (padding ? unpaddedCount(plain) : plain.count).map {
                Secret(copying: UnsafeRawBufferPointer(rebasing: plain[..<$0]))
            }
        }
        guard let secret else { throw undecryptable }
        return secret
    }

    /// How many bytes are left of whole blocks without their padding (RFC 5652 section 6.3); `nil` if
    /// they don't end in one.
    ///
    /// It takes the same time for all bytes of a number: each of the last block is looked at, and
    /// nothing branches on one.
    private static func unpaddedCount(_ plain: UnsafeRawBufferPointer) -> Int? {
        let padding = UInt32(plain[plain.count - 1])
        // The highest bit of a difference says that it is below zero.
        var wrong = (padding &- 1) >> 31 | (UInt32(blockCount) &- padding) >> 31
        for distance in 1...blockCount {
            let isPadding = ((padding &- UInt32(distance)) >> 31) &- 1
            wrong |= isPadding & (UInt32(plain[plain.count - distance]) ^ padding)
        }
        return wrong == 0 ? plain.count - Int(padding) : nil
    }

    private static let wrongSize = PushError(
        .invalidArgument, "AES-128 takes a key, a vector and blocks of 16 bytes each.")

    private static let undecryptable = PushError(.untrusted, "The bytes can't be decrypted.")

    private static func parameters(
        key: Secret, iv: [UInt8]
    ) throws(PushError) -> (SymmetricKey, AES._CBC.IV) {
        guard key.count == blockCount, let iv = try? AES._CBC.IV(ivBytes: iv) else {
            throw wrongSize
        }
        return (key.withBytes { SymmetricKey(data: $0) }, iv)
    }
}

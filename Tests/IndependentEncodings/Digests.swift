import Crypto
import Foundation

package func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    Array(SHA256.hash(data: Data(bytes)))
}

package func sha256(_ text: String) -> [UInt8] { sha256(text.utf8) }

/// RFC 2104 with SHA-256.
package func hmac(_ key: [UInt8], _ message: some Sequence<UInt8>) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Data(message), using: SymmetricKey(data: key)))
}

package func hmac(_ key: [UInt8], _ message: String) -> [UInt8] { hmac(key, message.utf8) }

/// RFC 5869 with SHA-256, written from the RFC.
package func hkdf(_ key: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    let extracted = hmac(salt, key)
    var (block, output): ([UInt8], [UInt8]) = ([], [])
    for index in 1...255 where output.count < count {
        block = hmac(extracted, block + info + [UInt8(index)])
        output += block
    }
    return Array(output.prefix(count))
}

/// RFC 8018 with HMAC-SHA-256, one block of output, written from the RFC.
package func pbkdf2(_ password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
    let key = SymmetricKey(data: password)
    var block = HMAC<SHA256>.authenticationCode(for: Data(salt + [0, 0, 0, 1]), using: key)
    var output = Array(block)
    for _ in 1..<max(iterations, 1) {
        block = HMAC<SHA256>.authenticationCode(for: Data(block), using: key)
        for (index, byte) in block.enumerated() { output[index] ^= byte }
    }
    return output
}

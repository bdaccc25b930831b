import Crypto
import Foundation
import PushCore

// The tests' own encodings, MACs and key derivations, so that they don't lean on what they test.

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func unhex(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).compactMap {
        UInt8(text.dropFirst($0).prefix(2), radix: 16)
    }
}

func base64(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

func base64url(_ bytes: some Sequence<UInt8>) -> String {
    base64(bytes).replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
}

func base64url(_ text: String) -> String { base64url(Array(text.utf8)) }

/// Strict: no padding, no other characters, no unused bits.
func decoded(base64url text: some StringProtocol) -> [UInt8]? {
    guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    else { return nil }
    let standard = text.replacingOccurrences(of: "-", with: "+")
        .replacingOccurrences(of: "_", with: "/")
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let data = Data(base64Encoded: standard + padding), base64url(data) == text else {
        return nil
    }
    return Array(data)
}

func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] { Array(SHA256.hash(data: Data(bytes))) }

func hmac(_ key: [UInt8], _ message: some Sequence<UInt8>) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Data(message), using: SymmetricKey(data: key)))
}

/// RFC 5869, written from the RFC.
func hkdf(_ key: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
    let extracted = hmac(salt, key)
    var (block, output): ([UInt8], [UInt8]) = ([], [])
    for index in 1...255 where output.count < count {
        block = hmac(extracted, block + info + [UInt8(index)])
        output += block
    }
    return Array(output.prefix(count))
}

/// RFC 8018 with HMAC-SHA-256, one block of output, written from the RFC.
func pbkdf2(_ password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
    let key = SymmetricKey(data: password)
    var block = HMAC<SHA256>.authenticationCode(for: Data(salt + [0, 0, 0, 1]), using: key)
    var output = Array(block)
    for _ in 1..<max(iterations, 1) {
        block = HMAC<SHA256>.authenticationCode(for: Data(block), using: key)
        for (index, byte) in block.enumerated() { output[index] ^= byte }
    }
    return output
}

func openSealed(_ sealed: [UInt8], key: [UInt8], data: [UInt8]) -> [UInt8]? {
    guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
    return (try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: Data(data)))
        .map { Array($0) }
}

extension Secret {
    /// A copy of the bytes, for comparisons in tests.
    var copied: [UInt8] { withBytes { Array($0) } }
}

extension [UInt8] {
    /// Whether a run of bytes occurs in these.
    func contains(run: [UInt8]) -> Bool {
        guard !run.isEmpty, run.count <= count else { return false }
        return Data(self).range(of: Data(run)) != nil
    }

    /// The forms in which these bytes could be written, to look for them.
    var forms: [[UInt8]] {
        let texts = [base64(self), base64url(self), hex(self), hex(self).uppercased()]
        // The heart of the text that base64 makes of the bytes at any offset in something longer.
        let shifted = (0..<3).map { offset in
            let text = base64(Array(repeating: 0, count: offset) + self)
            return String(text.dropFirst(offset == 0 ? 0 : 4).dropLast(4))
        }
        let all =
            texts + shifted
            + shifted.map { text in
                text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(
                    of: "/", with: "_")
            }
        return [self] + all.filter { $0.utf8.count >= 4 }.map { Array($0.utf8) }
    }
}

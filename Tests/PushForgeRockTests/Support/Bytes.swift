import Crypto
import Foundation
import PushCore

// The tests' own encodings and MACs, so that they don't lean on what they test.

func digest(_ text: String) -> [UInt8] { Array(SHA256.hash(data: Data(text.utf8))) }

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func base64(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

func base64(_ text: String) -> String { base64(Array(text.utf8)) }

func base64url(_ bytes: some Sequence<UInt8>) -> String {
    base64(bytes).replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
}

func base64url(_ text: String) -> String { base64url(Array(text.utf8)) }

func decoded(base64url text: some StringProtocol) -> Data? {
    guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    else { return nil }
    let standard = text.replacingOccurrences(of: "-", with: "+")
        .replacingOccurrences(of: "_", with: "/")
    return Data(base64Encoded: standard + String(repeating: "=", count: (4 - text.count % 4) % 4))
}

func mac(_ key: [UInt8], _ message: some Sequence<UInt8>) -> [UInt8] {
    Array(
        HMAC<SHA256>.authenticationCode(
            for: Data(message), using: SymmetricKey(data: key)))
}

func randomBytes(_ count: Int = 32) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255) } }

extension Secret {
    /// A copy of the bytes, for comparisons in tests.
    var copied: [UInt8] { withBytes { Array($0) } }
}

/// A random source that always gives the bytes of one UUID.
struct FixedRandom: RandomSource {
    private let uuid: [UInt8]

    init(uuid text: String) {
        let digits = text.filter { $0 != "-" }
        uuid = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(digits.dropFirst($0).prefix(2), radix: 16)
        }
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in buffer.indices { buffer[index] = uuid[index % uuid.count] }
    }
}

func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: Data(bytes))) }

import Crypto
import PushCore

/// Bytes as lower-case hexadecimal text.
enum Hex {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        Hexadecimal.text(Array(bytes))
    }

    static func text(_ digest: SHA256Digest) -> String {
        digest.withUnsafeBytes { Hexadecimal.text($0) }
    }

    /// Sixteen bytes in the form of a UUID.
    static func uuidText(_ bytes: some Sequence<UInt8>) -> String {
        var digits = text(bytes)[...]
        var groups: [Substring] = []
        for length in [8, 4, 4, 4, 12] {
            groups.append(digits.prefix(length))
            digits = digits.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }
}

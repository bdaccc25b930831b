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

/// Percent-encoding (RFC 3986, section 2.1), read strictly and once: a percent sign begins an escape,
/// and what comes out is UTF-8.
enum PercentText {
    /// A literal plus stands for a space if `plusIsSpace` says so, as in forms.
    ///
    /// - Returns: `nil` if it isn't percent-encoded UTF-8.
    static func decoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = digit(bytes.next()), let low = digit(bytes.next()) else {
                    return nil
                }
                output.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                output.append(UInt8(ascii: " "))
            default:
                output.append(byte)
            }
        }
        return String(validUTF8: output)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Hexadecimal.value(of: $0) }
    }
}

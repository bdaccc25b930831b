package import PushCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Base32 (RFC 4648 section 6), the form in which one-time password secrets are shown.
package enum Base32 {
    /// What a reader accepts.
    ///
    /// Upper and lower case mean the same, and padding may be absent.
    package enum Reading: Hashable, Sendable {
        /// Padding, if there is any, is complete; unused bits are zero; no whitespace.
        case strict
        /// As ``strict``, but unused bits may be anything, as in secrets made up by hand.
        case anyTrailingBits
    }

    /// Encodes bytes in upper case, padded.
    package static func encode(_ bytes: some ContiguousBytes) -> String {
        bytes.withUnsafeBytes { bytes in
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
            var output: [UInt8] = []
            output.reserveCapacity((bytes.count + 4) / 5 * 8)
            var bits: UInt32 = 0
            var bitCount = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                bitCount += 8
                while bitCount >= 5 {
                    bitCount -= 5
                    output.append(alphabet[Int(bits >> bitCount & 31)])
                }
            }
            if bitCount > 0 { output.append(alphabet[Int(bits << (5 - bitCount) & 31)]) }
            while !output.count.isMultiple(of: 8) { output.append(UInt8(ascii: "=")) }
            return String(decoding: output, as: UTF8.self)
        }
    }

    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - text: The text; an empty one stands for no bytes.
    ///   - reading: What to accept.
    /// - Throws: `PushError` with the code `malformed`.
    package static func data(
        from text: some StringProtocol, as reading: Reading = .strict
    ) throws(PushError) -> Data {
        try text.withLentUTF8 { Base32Reader.open($0, as: reading).flatMap { $0.data() } }
    }

    /// Decodes key material straight into memory that is zeroed when released.
    ///
    /// The text itself is the caller's; nothing clears it.
    ///
    /// - Parameters:
    ///   - text: The text; an empty one stands for no bytes.
    ///   - reading: What to accept.
    /// - Throws: `PushError` with the code `malformed`.
    package static func secret(
        from text: some StringProtocol, as reading: Reading = .strict
    ) throws(PushError) -> Secret {
        try text.withLentUTF8 { Base32Reader.open($0, as: reading).flatMap { $0.secret() } }
    }
}

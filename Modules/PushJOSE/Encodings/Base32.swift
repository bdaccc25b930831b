public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Base32 (RFC 4648 section 6), the form in which one-time password secrets are shown.
public enum Base32 {
    /// What a reader accepts.
    ///
    /// Unless it is ``canonical``, upper and lower case mean the same, and padding may be absent.
    public enum Reading: Hashable, Sendable {
        /// Nothing but what ``Base32/encode(_:)`` writes: upper case, padded, unused bits zero. So all
        /// bytes have one text.
        case canonical
        /// Padding, if there is any, is complete; unused bits are zero; no whitespace.
        case strict
        /// As ``strict``, but what doesn't fill a byte at the end may be anything, as in secrets made up by
        /// hand: it's dropped.
        case anyTrailingBits
    }

    /// Encodes bytes in upper case, padded.
    public static func encode(_ bytes: some ContiguousBytes) -> String {
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
    /// - Returns: The bytes.
    /// - Throws: `PushError` with the code `malformed`.
    public static func data(
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
    /// - Returns: The bytes.
    /// - Throws: `PushError` with the code `malformed`.
    public static func secret(
        from text: some StringProtocol, as reading: Reading = .strict
    ) throws(PushError) -> Secret {
        try text.withLentUTF8 { Base32Reader.open($0, as: reading).flatMap { $0.secret() } }
    }
}

/// Reads base32 five bits at a time.
struct Base32Reader: BinaryTextReader {
    /// The text without its padding.
    private let text: UnsafeRawBufferPointer
    private let reading: Base32.Reading

    let count: Int

    /// Checks length and padding; the characters are checked while they are read.
    static func open(
        _ text: UnsafeRawBufferPointer, as reading: Base32.Reading
    ) -> Result<Base32Reader, PushError> {
        var end = text.count
        while end > 0, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
        let padding = text.count - end
        // Lengths whose last character would add no bit to a byte don't occur (RFC 4648 section 6).
        guard [0, 2, 4, 5, 7].contains(end % 8) || reading == .anyTrailingBits && end > 1,
            text.count.isMultiple(of: 8) ? padding < 8 : padding == 0 && reading != .canonical
        else { return .failure(BinaryTextFault.length.pushError) }
        let body = UnsafeRawBufferPointer(rebasing: text[..<end])
        return .success(Base32Reader(body, as: reading))
    }

    private init(_ body: UnsafeRawBufferPointer, as reading: Base32.Reading) {
        text = body
        self.reading = reading
        count = body.count / 8 * 5 + body.count % 8 * 5 / 8
    }

    func write(to output: UnsafeMutableRawBufferPointer) -> BinaryTextFault? {
        var bits: UInt32 = 0
        var bitCount = 0
        var target = 0
        for character in text {
            guard let value = Self.value(of: character),
                reading != .canonical || character < UInt8(ascii: "a")
            else { return .character }
            bits = bits << 5 | value
            bitCount += 5
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            output[target] = UInt8(truncatingIfNeeded: bits >> bitCount)
            target += 1
        }
        let unused = bits & (1 << bitCount - 1)
        return unused == 0 || reading == .anyTrailingBits ? nil : .trailingBits
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}

public import PushCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Base64 and base64url (RFC 4648 sections 4 and 5).
///
/// Reading is strict, so that each sequence of bytes has exactly one text, unless the caller asks
/// for ``Reading/anyAlphabet``.
public enum Base64 {
    /// What to write.
    public enum Alphabet: Hashable, Sendable {
        /// `+` and `/`, padded with `=` (RFC 4648 section 4).
        case standard
        /// `-` and `_`, unpadded (RFC 4648 section 5, as RFC 7515 section 2 uses it).
        case url
    }

    /// What a reader accepts.
    public enum Reading: Hashable, Sendable {
        /// Exactly what ``Alphabet/standard`` writes: padded, unused bits zero, no whitespace.
        case standard
        /// Exactly what ``Alphabet/url`` writes: unpadded, unused bits zero, no whitespace.
        case url
        /// Lenient: both alphabets, even mixed; up to two `=` at the end, whether or not the length
        /// asks for them; unused bits that aren't zero. Any other character is still refused.
        ///
        /// Many texts stand for the same bytes, so never compare or deduplicate by the text.
        case anyAlphabet
    }

    /// Encodes bytes.
    public static func encode(
        _ bytes: some ContiguousBytes, as alphabet: Alphabet = .standard
    ) -> String {
        bytes.withUnsafeBytes { Base64Writer(alphabet: alphabet).text(for: $0) }
    }

    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - text: The text; an empty one stands for no bytes.
    ///   - reading: What to accept.
    /// - Returns: The bytes.
    /// - Throws: `PushError` with the code `malformed`.
    public static func data(
        from text: some StringProtocol, as reading: Reading = .standard
    ) throws(PushError) -> Data {
        try text.withLentUTF8 { Base64Reader.open($0, as: reading).flatMap { $0.data() } }
    }

    /// Decodes a string, as the general function does, and faster.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    public static func data(
        from text: String, as reading: Reading = .standard
    ) throws(PushError) -> Data {
        var text = text
        return try text.withUTF8 {
            Base64Reader.open(UnsafeRawBufferPointer($0), as: reading).flatMap { $0.data() }
        }.get()
    }

    /// Decodes a text that is lent as ASCII bytes.
    ///
    /// - Parameters:
    ///   - ascii: The text; an empty one stands for no bytes.
    ///   - reading: What to accept.
    /// - Returns: The bytes.
    /// - Throws: `PushError` with the code `malformed`.
    package static func data(
        from ascii: UnsafeRawBufferPointer, as reading: Reading = .standard
    ) throws(PushError) -> Data {
        try Base64Reader.open(ascii, as: reading).flatMap { $0.data() }.get()
    }

    /// Decodes a text to an array.
    ///
    /// - Parameters:
    ///   - text: The text; an empty one stands for no bytes.
    ///   - reading: What to accept.
    /// - Returns: The bytes.
    /// - Throws: `PushError` with the code `malformed`.
    package static func bytes(
        from text: some StringProtocol, as reading: Reading = .standard
    ) throws(PushError) -> [UInt8] {
        try text.withLentUTF8 { Base64Reader.open($0, as: reading).flatMap { $0.bytes() } }
    }

    /// Decodes a text that is lent as ASCII bytes to an array.
    ///
    /// - Parameters:
    ///   - ascii: The text; an empty one stands for no bytes.
    ///   - reading: What to accept.
    /// - Returns: The bytes that it stands for.
    /// - Throws: `PushError` with the code `malformed`.
    package static func bytes(
        from ascii: UnsafeRawBufferPointer, as reading: Reading
    ) throws(PushError) -> [UInt8] {
        try Base64Reader.open(ascii, as: reading).flatMap { $0.bytes() }.get()
    }

    /// Decodes a text that is lent as ASCII bytes to memory of the size that it must stand for.
    ///
    /// - Returns: Whether the text is one that ``Reading/standard`` accepts, for as many bytes.
    package static func decode(
        _ ascii: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard case .success(let reader) = Base64Reader.open(ascii, as: .standard),
            reader.count == output.count
        else { return false }
        return reader.write(to: output) == nil
    }

    /// Decodes a string to an array, as the general function does, and faster.
    package static func bytes(
        from text: String, as reading: Reading = .standard
    ) throws(PushError) -> [UInt8] {
        var text = text
        return try text.withUTF8 {
            Base64Reader.open(UnsafeRawBufferPointer($0), as: reading).flatMap { $0.bytes() }
        }.get()
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
        from text: some StringProtocol, as reading: Reading = .standard
    ) throws(PushError) -> Secret {
        try text.withLentUTF8 { Base64Reader.open($0, as: reading).flatMap { $0.secret() } }
    }
}

/// Writes base64 in one pass, straight into the string's own storage.
struct Base64Writer {
    let alphabet: Base64.Alphabet

    private static let standard: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    private static let url: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    func text(for bytes: UnsafeRawBufferPointer) -> String {
        let (groups, rest) = bytes.count.quotientAndRemainder(dividingBy: 3)
        let tail = rest == 0 ? 0 : (alphabet == .standard ? 4 : rest + 1)
        let length = groups * 4 + tail
        guard length > 0 else { return "" }
        return String(unsafeUninitializedCapacity: length) { output in
            write(bytes, groups: groups, rest: rest, to: output)
            return length
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, groups: Int, rest: Int,
        to output: UnsafeMutableBufferPointer<UInt8>
    ) {
        let characters = (alphabet == .standard ? Self.standard : Self.url).utf8Start
        var source = 0
        var target = 0
        for _ in 0..<groups {
            let value =
                UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8
                | UInt32(bytes[source + 2])
            output[target] = characters[Int(value >> 18)]
            output[target + 1] = characters[Int(value >> 12 & 63)]
            output[target + 2] = characters[Int(value >> 6 & 63)]
            output[target + 3] = characters[Int(value & 63)]
            source += 3
            target += 4
        }
        guard rest > 0 else { return }
        let second = rest == 2 ? UInt32(bytes[source + 1]) : 0
        let value = UInt32(bytes[source]) << 16 | second << 8
        output[target] = characters[Int(value >> 18)]
        output[target + 1] = characters[Int(value >> 12 & 63)]
        if rest == 2 { output[target + 2] = characters[Int(value >> 6 & 63)] }
        guard alphabet == .standard else { return }
        if rest == 1 { output[target + 2] = UInt8(ascii: "=") }
        output[target + 3] = UInt8(ascii: "=")
    }
}

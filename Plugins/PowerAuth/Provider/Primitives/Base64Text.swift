import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Base64 (RFC 4648 section 4) written straight to where it belongs.
enum Base64Text {
    private static let alphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// How many characters stand for so many bytes, padding included.
    static func count(ofBytes count: Int) -> Int { (count + 2) / 3 * 4 }

    /// The text of the bytes, padded.
    static func string(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: count(ofBytes: bytes.count)) {
            write(bytes, to: UnsafeMutableRawBufferPointer($0))
        }
    }

    /// Writes the text of the bytes, padded.
    ///
    /// - Returns: How many characters were written.
    static func write(
        _ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
    ) -> Int {
        let alphabet = alphabet.utf8Start
        func character(_ group: UInt32, _ shift: UInt32) -> UInt32 {
            UInt32(alphabet[Int(group >> shift & 63)])
        }
        var (source, target) = (0, 0)
        while source + 3 <= bytes.count {
            let group =
                UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8
                | UInt32(bytes[source + 2])
            let text =
                character(group, 18) | character(group, 12) << 8 | character(group, 6) << 16
                | character(group, 0) << 24
            output.storeBytes(of: text.littleEndian, toByteOffset: target, as: UInt32.self)
            source += 3
            target += 4
        }
        guard source < bytes.count else { return target }
        let hasTwo = source + 2 == bytes.count
        let group = UInt32(bytes[source]) << 16 | (hasTwo ? UInt32(bytes[source + 1]) << 8 : 0)
        let padding = UInt32(UInt8(ascii: "="))
        let text =
            character(group, 18) | character(group, 12) << 8
            | (hasTwo ? character(group, 6) : padding) << 16 | padding << 24
        output.storeBytes(of: text.littleEndian, toByteOffset: target, as: UInt32.self)
        return target + 4
    }
}

/// Reads the protocol's Base64 texts: RFC 4648 section 4, padded, with one text for each value.
///
/// Texts enter MACs, and servers encode again what they decoded, so a text that isn't canonical
/// would be a signature that fails later.
enum StrictBase64 {
    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - text: The text. An empty one is refused: no field of the protocol may be empty.
    ///   - count: How many bytes it must stand for; `nil` for any number.
    /// - Returns: The bytes.
    /// - Throws: `PushError` with the code `malformed`.
    static func decode(_ text: String, count: Int? = nil) throws(PushError) -> Data {
        let data = try Base64.data(from: text)
        try check(data.count, is: count)
        return data
    }

    /// Decodes a text to as many bytes.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    static func bytes(_ text: String, count: Int) throws(PushError) -> [UInt8] {
        var text = text
        var isRead = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, written in
            let output = UnsafeMutableRawBufferPointer(start: output.baseAddress, count: count)
            isRead = text.withUTF8 { Base64.decode(UnsafeRawBufferPointer($0), to: output) }
            written = isRead ? count : 0
        }
        guard isRead, count > 0 else {
            throw PushError(.malformed, "A text isn't \(count) bytes in Base64.")
        }
        return bytes
    }

    /// Decodes a key, straight into memory that is zeroed when released.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    static func secret(_ text: String, count: Int? = nil) throws(PushError) -> Secret {
        let secret = try Base64.secret(from: text)
        try check(secret.count, is: count)
        return secret
    }

    private static func check(_ count: Int, is wanted: Int?) throws(PushError) {
        guard count > 0, count == wanted ?? count else {
            throw PushError(.malformed, "A Base64 text stands for \(count) bytes.")
        }
    }
}

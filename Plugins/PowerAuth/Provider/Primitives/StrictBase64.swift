import PushCore
import PushJOSE

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the protocol's Base64 texts: RFC 4648 section 4, padded, with one text for each value.
///
/// Texts enter MACs, and servers encode anew what they decoded, so a text that isn't canonical
/// would be a signature that fails later.
enum StrictBase64 {
    /// Decodes a text.
    ///
    /// - Parameters:
    ///   - text: The text. An empty one is refused: no field of the protocol may be empty.
    ///   - count: How many bytes it must stand for; `nil` for any number.
    /// - Throws: `PushError` with the code `malformed`.
    static func decode(_ text: String, count: Int? = nil) throws(PushError) -> Data {
        let data = try Base64.data(from: text)
        try check(data.count, is: count)
        return data
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

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The alphabet of passwords and challenges, as AM writes them (RFC 4648, section 4).
enum Base64 {
    /// The standard alphabet, padded.
    static func standard(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }
}

/// The alphabet of one-time-code secrets (RFC 4648, section 6), padded.
enum Base32 {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var text = ""
        var buffer = 0
        var bits = 0
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFFFF
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[buffer >> bits & 31])
            }
        }
        if bits > 0 { text.append(alphabet[buffer << (5 - bits) & 31]) }
        while text.utf8.count % 8 != 0 { text += "=" }
        return text
    }
}

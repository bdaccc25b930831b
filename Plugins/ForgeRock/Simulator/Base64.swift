#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The two alphabets as AM writes and reads them (RFC 4648, sections 4 and 5).
enum Base64 {
    /// The standard alphabet, padded.
    static func standard(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }

    /// The URL alphabet, unpadded.
    static func url(_ bytes: some Sequence<UInt8>) -> String {
        String(
            standard(bytes).compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    /// The bytes of a text in the URL alphabet, unpadded; `nil` for anything else.
    static func decodingURL(_ text: some StringProtocol) -> Data? {
        let isClean = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isClean, text.utf8.count % 4 != 1 else { return nil }
        var standard = String(
            text.map { character in
                switch character {
                case "-": "+"
                case "_": "/"
                default: character
                }
            })
        while standard.utf8.count % 4 != 0 { standard += "=" }
        return Data(base64Encoded: standard)
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

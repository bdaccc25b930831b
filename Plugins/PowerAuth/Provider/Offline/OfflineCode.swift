import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text of an offline operation's QR code, split into its lines and not yet verified: none of
/// its texts may be read before.
///
/// It is split by bytes: to Swift a carriage return and a line feed are one character, and a letter
/// with a combining mark is another than the letter.
struct OfflineCode: Sendable {
    /// Which key signed.
    enum KeyType: UInt8 {
        /// The application's master key: the code is for no activation in particular.
        case master = 0x30
        /// The server key of one activation.
        case personalized = 0x31
    }

    /// More than a QR code holds (ISO/IEC 18004: 4,296 characters), and less than trouble.
    private static let maximumLength = 8192

    /// Operation, title, message, data, flags, nonce and signature.
    private static let fewestLines = 7

    /// The whole text.
    let text: String

    /// Which key signed; `nil` if that is a kind which this version doesn't know.
    let keyType: KeyType?

    /// The nonce, 16 bytes.
    let nonce: Data

    /// The nonce as it was written.
    let nonceText: String

    private let lines: [[UInt8]]
    private let signed: Data
    private let signature: Data

    /// `nil` if the text hasn't the form: seven lines or more, a nonce of 16 bytes in the last but
    /// one, and a signature in the last.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumLength else { return nil }
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.count >= Self.fewestLines, let last = lines.last, let type = last.first
        else { return nil }
        nonceText = String(decoding: lines[lines.count - 2], as: UTF8.self)
        guard let nonce = try? StrictBase64.decode(nonceText, count: 16),
            let signature = try? StrictBase64.decode(
                String(decoding: last.dropFirst(), as: UTF8.self))
        else { return nil }
        self.text = text
        self.nonce = nonce
        self.signature = signature
        keyType = KeyType(rawValue: type)
        self.lines = lines.map(Array.init)
        // Up to the character that names the key, and with it.
        signed = Data(bytes.prefix(bytes.count - last.count + 1))
    }

    /// Whether a key made the signature.
    func isSigned(by key: CurvePoint) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature),
            let key = try? key.signingKey
        else { return false }
        return key.isValidSignature(signature, for: signed)
    }

    /// The lines that a verified code may be read from: those whose place is fixed, and the one
    /// that holds a time-based code in newer ones. What later versions add follows, and is signed,
    /// but isn't read.
    var contents:
        (
            operation: [UInt8], title: [UInt8], message: [UInt8], data: [UInt8],
            flags: [UInt8], totp: [UInt8]?
        )
    {
        let totp = lines.count > Self.fewestLines ? lines[5] : nil
        return (lines[0], lines[1], lines[2], lines[3], lines[4], totp)
    }
}

/// Texts with escapes: `\n` for a line break, `\\` for a backslash.
enum OfflineText {
    /// Undoes the escapes.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - separator: A further character that may be escaped.
    /// - Returns: `nil` for any other escape, one that breaks off, or a text that isn't UTF-8.
    static func unescaped(_ bytes: some Collection<UInt8>, separator: UInt8? = nil) -> String? {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n")?: result.append(0x0A)
            case UInt8(ascii: "\\")?: result.append(UInt8(ascii: "\\"))
            case let escaped? where escaped == separator: result.append(escaped)
            default: return nil
            }
        }
        return text(result)
    }

    /// A text as it stands; `nil` if it isn't UTF-8.
    static func text(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    /// Whether there is a control character (C0, DEL or C1) in a text.
    static func hasControls(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }
    }
}

import PushCore

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

import PushCore

/// The label of an `otpauth` code: perhaps an issuer and a colon, then the account (Google
/// Authenticator's *Key Uri Format*). Blanks may precede the account.
public struct KeyURILabel: Hashable, Sendable {
    /// The issuer, if the label names one.
    public let issuer: String?

    /// The text after the first colon, perhaps with more colons, perhaps empty.
    public let account: String

    /// Reads a label whose percent escapes are decoded.
    public init(_ label: String) {
        let bytes = label.utf8
        let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        issuer = Self.name(colon.map { String(label[..<$0]) })
        let rest = label[(colon.map { bytes.index(after: $0) } ?? label.startIndex)...]
        account = String(rest.withoutBlanks)
    }

    /// A name without the blanks around it; `nil` if nothing in it is visible.
    public static func name(_ text: String?) -> String? {
        guard let text, !DisplayText.sanitized(text, .title)[...].withoutBlanks.isEmpty else {
            return nil
        }
        return String(text[...].withoutBlanks)
    }
}

extension Substring {
    /// Without the blanks around it. Bytes are looked at: a stranger's text may have a million marks in one
    /// `Character`.
    fileprivate var withoutBlanks: Substring {
        let bytes = utf8
        let start = bytes.firstIndex { $0 != 0x20 } ?? endIndex
        let end = bytes.lastIndex { $0 != 0x20 }.map { bytes.index(after: $0) } ?? start
        return self[start..<end]
    }
}

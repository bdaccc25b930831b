/// What the user scans, types or enters to enroll. It holds secrets, so it is never printed.
@nonexhaustive
public enum Invitation: Sendable {
    /// The text of a QR code or a link.
    case scanned(Secret)
    /// A code read from a screen or a letter.
    case typed(Secret)
    /// A user name and password.
    case credentials(user: String, password: Secret)

    /// An invitation from the text of a QR code or a link.
    public static func scanned(text: String) -> Invitation {
        .scanned(Secret(Array(text.utf8)))
    }

    /// The text of a QR code or a link; `nil` for what came another way.
    public var scannedText: String? {
        guard case .scanned(let secret) = self else { return nil }
        return secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// An invitation from a code that the user typed.
    public static func typed(text: String) -> Invitation {
        .typed(Secret(Array(text.utf8)))
    }
}

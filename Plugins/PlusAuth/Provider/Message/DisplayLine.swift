import PushCore

/// A text for display, leniently: anything but a string with something to show counts as absent.
struct DisplayLine {
    let text: String

    /// Whether the text was too long, so that it ends with an ellipsis.
    let isCut: Bool

    private static let greatestLength = 200

    init?(_ json: JSON?) {
        guard let raw = json?.string, !raw.isEmpty else { return nil }
        var text = DisplayText.sanitized(raw, .body)
        if text.utf8.contains(0x0A) { text = String(text.map { $0.isNewline ? " " : $0 }) }
        guard !text.isEmpty else { return nil }
        isCut = text.utf8.count > Self.greatestLength && text.count > Self.greatestLength
        self.text = isCut ? "\(text.prefix(Self.greatestLength - 1))…" : text
    }
}

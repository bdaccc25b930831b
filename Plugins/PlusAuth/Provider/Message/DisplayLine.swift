import PushCore

/// A text for display, leniently: anything but a string with something to show counts as absent.
struct DisplayLine {
    let text: String

    /// Whether all that can be seen of the text is shown: it wasn't cut, and lost no marks.
    let isWhole: Bool

    private static let greatestLength = 200

    init?(_ json: JSON?) {
        guard let raw = json?.string, !raw.isEmpty else { return nil }
        var text = DisplayText.sanitized(raw, .body)
        if text.utf8.contains(0x0A) { text = String(text.map { $0.isNewline ? " " : $0 }) }
        guard !DisplayText.isBlank(text) else { return nil }
        let isCut = text.utf8.count > Self.greatestLength && text.count > Self.greatestLength
        self.text = isCut ? "\(text.prefix(Self.greatestLength - 1))…" : text
        isWhole = DisplayText.showsAll(of: raw, as: self.text)
    }
}

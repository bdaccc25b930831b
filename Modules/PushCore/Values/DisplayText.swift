/// Text from a vendor or a stranger, made safe to show as plain text.
///
/// It is cut to a length, and loses what could reorder, hide or fake the visible text: control
/// characters, bidirectional controls (Unicode TR 9), invisible and tag characters, and piled-up
/// combining marks. A line break becomes `\n` in a body, and a space elsewhere, where a second line
/// could pass for the app's own text. Markup and links aren't interpreted.
public enum DisplayText {
    /// The maximum length of each kind of text, in Unicode scalars.
    public enum Limit: Int, Sendable {
        /// A name, or an option to choose.
        case label = 64
        /// A line that tells the subject.
        case title = 256
        /// A text of several lines.
        case body = 2048
    }

    /// How many combining marks in a row are kept.
    ///
    /// Real scripts need up to eight: Vietnamese and Thai two, Devanagari with its accents four,
    /// Hebrew with points and cantillation five, Myanmar eight, the largest stack of Tibetan (U+0F67
    /// and what stands below and above it) eight.
    private static let longestRunOfMarks = 8

    /// The text as it is shown.
    public static func sanitized(_ text: String, _ limit: Limit) -> String {
        // Most texts are printable ASCII and short enough; every push makes some.
        if text.utf8.count <= limit.rawValue, text.isPrintableASCII { return text }
        var result = String.UnicodeScalarView()
        var count = 0
        var marks = 0
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            guard var kept = visible(scalar), (previous, scalar) != ("\r", "\n") else { continue }
            if kept == "\n", limit != .body { kept = " " }
            if kept.value >= 0x300, kept.properties.generalCategory.isMark {
                marks += 1
                guard marks <= longestRunOfMarks else { continue }
            } else if !isJoiner(kept) {
                marks = 0
            }
            guard count < limit.rawValue else {
                result.append("…")
                break
            }
            result.append(kept)
            count += 1
        }
        return String(result)
    }

    static func sanitized(_ text: String?, _ limit: Limit) -> String? {
        text.map { sanitized($0, limit) }
    }

    /// Whether an option would be shown as it is, and without joiners: they are invisible, and the
    /// user compares it with what another screen shows.
    static func isPlainOption(_ text: String) -> Bool {
        isPlain(text, .label) && !text.unicodeScalars.contains(where: isJoiner)
    }

    /// Whether a text would be shown as it is.
    public static func isPlain(_ text: String, _ limit: Limit) -> Bool {
        text.unicodeScalars.count <= limit.rawValue
            && sanitized(text, limit).hasSameBytes(as: text)
    }

    private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{200C}" || scalar == "\u{200D}"
    }

    private static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x0A...0x0D, 0x2028, 0x2029, 0x85: return "\n"
        case 0x09: return " "
        case 0x00...0x1F, 0x7F...0x9F: return nil
        // Bidirectional marks, embeddings, overrides and isolates.
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return nil
        // Invisible: zero-width space, word joiner and operators, byte order mark, soft hyphen,
        // deprecated format and interlinear characters, fillers, shorthand and musical controls,
        // tags. U+200C and U+200D stay: scripts and emoji need them.
        case 0xAD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x2060...0x2065,
            0x206A...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3,
            0x1D173...0x1D17A, 0xE0000...0xE0FFF:
            return nil
        default: return scalar
        }
    }
}

extension Unicode.GeneralCategory {
    /// Whether it's one of those that combine with the character before them.
    var isMark: Bool { [.nonspacingMark, .spacingMark, .enclosingMark].contains(self) }
}

extension DisplayText {
    /// Whether a shown text has everything visible of the original. A safe text may lose invisible
    /// characters; if it loses anything else, such as its end or a letter's marks, nobody may
    /// approve it.
    public static func showsAll(of text: String, as shown: String) -> Bool {
        if text.hasSameBytes(as: shown) { return true }
        return text.unicodeScalars.lazy.filter(isSeen)
            .elementsEqual(shown.unicodeScalars.lazy.filter(isSeen))
    }

    /// Whether a body shows the whole text, invisible characters included. Only line breaks and
    /// tabs may change their form.
    public static func isPlainBody(_ text: String) -> Bool {
        var plain = String.UnicodeScalarView()
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            switch scalar {
            case "\n" where previous == "\r": continue
            case "\r": plain.append("\n")
            case "\t": plain.append(" ")
            default: plain.append(scalar)
            }
        }
        return sanitized(text, .body).unicodeScalars.elementsEqual(plain)
    }

    /// Whether a text has nothing visible.
    public static func isBlank(_ text: String) -> Bool {
        !text.unicodeScalars.contains(where: isSeen)
    }

    private static func isSeen(_ scalar: Unicode.Scalar) -> Bool {
        // Every text that is shown passes here; most is printable ASCII.
        if scalar.isASCII { return 0x21...0x7E ~= scalar.value }
        // The Braille pattern without dots.
        if scalar.value == 0x2800 { return false }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format: return false
        default: return !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
        }
    }
}

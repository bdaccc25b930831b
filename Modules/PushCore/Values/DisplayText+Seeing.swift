extension DisplayText {
    /// Whether all that can be seen of a text is shown. What is made safe loses invisible characters;
    /// nobody approves what loses anything else, such as its end or the marks on a letter.
    package static func showsAll(of text: String, as shown: String) -> Bool {
        if text.hasSameBytes(as: shown) { return true }
        return text.unicodeScalars.lazy.filter(isSeen)
            .elementsEqual(shown.unicodeScalars.lazy.filter(isSeen))
    }

    /// Whether nothing of a text is left out or cut where it's shown as a body, not even what can't be
    /// seen; line breaks and tabs may be written in another way.
    package static func isPlainBody(_ text: String) -> Bool {
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

    /// Whether nothing can be seen of a text.
    package static func isBlank(_ text: String) -> Bool {
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

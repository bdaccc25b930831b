extension DisplayText {
    /// Whether all that can be seen of a text is shown. What is made safe loses invisible characters;
    /// nobody approves what loses anything else, such as its end or the marks on a letter.
    package static func showsAll(of text: String, as shown: String) -> Bool {
        text.unicodeScalars.lazy.filter(isSeen)
            .elementsEqual(shown.unicodeScalars.lazy.filter(isSeen))
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

/// A stranger's text without what a terminal would obey or a reader would stumble over, cut off
/// after 300 characters.
public func printable(_ text: String) -> String {
    printable(text, limit: 300)
}

/// A stranger's text without what a terminal would obey or a reader would stumble over.
///
/// - Parameters:
///   - text: The text.
///   - limit: How many of its characters are shown; an ellipsis stands for the others.
/// - Returns: One line of text that is safe to print.
public func printable(_ text: String, limit: Int) -> String {
    let all = text.unicodeScalars
    let scalars = Array(all.prefix(limit))
    var shown = ""
    for (index, scalar) in scalars.enumerated() {
        let isSafe = !scalar.isHarmful || joinsEmoji(at: index, in: scalars)
        shown.unicodeScalars.append(isSafe ? scalar : "?")
    }
    return shown + (all.dropFirst(scalars.count).isEmpty ? "" : "…")
}

/// Whether a character joins two emoji, as those of a family are: between others it would hide.
private func joinsEmoji(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
    guard scalars[index] == "\u{200D}", index + 1 < scalars.count,
        scalars[index + 1].isPictograph
    else { return false }
    // A skin tone or the wish for colors may stand behind the first.
    let before = scalars[..<index].last { $0 != "\u{FE0F}" && !$0.properties.isEmojiModifier }
    return before?.isPictograph == true
}

extension Unicode.Scalar {
    /// Whether it is an emoji that a family can be made of; digits are emoji of another kind.
    fileprivate var isPictograph: Bool { properties.isEmoji && value > 0xFF }

    /// Whether a terminal would obey it, or it can't be seen but changes how others look.
    public var isHarmful: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            true
        default: false
        }
    }
}

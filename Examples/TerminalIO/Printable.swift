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
    let scalars = text.unicodeScalars
    let shown = scalars.prefix(limit).map { $0.isHarmful ? "?" : Character($0) }
    return String(shown) + (shown.count < scalars.count ? "…" : "")
}

extension Unicode.Scalar {
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

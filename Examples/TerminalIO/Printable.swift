/// A stranger's text without what a terminal would obey or a reader would stumble over.
public func printable(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(300).map { scalar -> Character in
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            "?"
        default: Character(scalar)
        }
    }
    return String(scalars)
}

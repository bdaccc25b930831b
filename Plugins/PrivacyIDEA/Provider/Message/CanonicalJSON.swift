import PushCore

/// JSON in its canonical form (RFC 8785), as far as the server's capabilities go: objects, arrays, texts
/// and booleans.
enum CanonicalJSON {
    /// - Returns: `nil` if the value holds a number or `null`.
    static func text(_ value: JSON) -> String? {
        switch value {
        case .bool(let value): return value ? "true" : "false"
        case .string(let text): return quoted(text)
        case .array(let elements):
            let texts = elements.compactMap(text)
            return texts.count == elements.count ? "[\(texts.joined(separator: ","))]" : nil
        case .object(let object):
            // By UTF-16 code units (RFC 8785 section 3.2.3), which isn't the order of UTF-8.
            let members = object.members.sorted {
                $0.name.utf16.lexicographicallyPrecedes($1.name.utf16)
            }
            let texts = members.compactMap { member in
                text(member.value).map { "\(quoted(member.name)):\($0)" }
            }
            return texts.count == members.count ? "{\(texts.joined(separator: ","))}" : nil
        case .number, .null: return nil
        }
    }

    /// A text with the escapes that RFC 8785 section 3.2.2.2 asks for, and no others.
    private static func quoted(_ text: String) -> String {
        var output = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output.append(contentsOf: #"\""#.unicodeScalars)
            case "\\": output.append(contentsOf: #"\\"#.unicodeScalars)
            case "\u{08}": output.append(contentsOf: #"\b"#.unicodeScalars)
            case "\u{09}": output.append(contentsOf: #"\t"#.unicodeScalars)
            case "\u{0A}": output.append(contentsOf: #"\n"#.unicodeScalars)
            case "\u{0C}": output.append(contentsOf: #"\f"#.unicodeScalars)
            case "\u{0D}": output.append(contentsOf: #"\r"#.unicodeScalars)
            case "\u{00}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                output.append(contentsOf: #"\u00"#.unicodeScalars)
                if digits.utf8.count == 1 { output.append("0") }
                output.append(contentsOf: digits.unicodeScalars)
            default: output.append(scalar)
            }
        }
        output.append("\"")
        return String(output)
    }
}

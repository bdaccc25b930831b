import PushCore

/// What `info` has beside the members that the documentation names. A tenant puts there what the user
/// is to see, so it is shown under its own name; and if a part of it can't be shown as it is, the user
/// doesn't see what would be approved.
struct UndocumentedInfo {
    /// What can be shown, in order.
    let fields: [Challenge.Field]

    /// What of `info` the user can't see as it is, documented members included; `nil` if they see all
    /// that an approval stands for.
    let defect: String?

    private static let documented: Set = [
        "application", "ip", "user_identifier", "agent", "location",
    ]
    private static let maximumFields = 8

    init(in claims: ContextClaims) {
        let info = claims.all["info"]?.object
        let members = (info?.members ?? [])
            .filter { !Self.documented.contains($0.name) && !Self.isEmpty($0.value) }
        let lines = members.map { (name: $0.name, line: Self.line($0.value)) }
            .filter { !$0.name.isEmpty && $0.name == DisplayText.sanitized($0.name, .label) }
        let shown = lines.compactMap { name, line in
            line.map { Challenge.Field(name, $0.text) }
        }
        fields = Array(shown.prefix(Self.maximumFields))
        let isWhole =
            fields.count == members.count
            && zip(lines, fields).allSatisfy { line, field in
                line.line.map { $0.isWhole && DisplayText.showsAll(of: $0.text, as: field.value) }
                    ?? false
            }
        // What is accessed, and as whom. The rest says where from, and may be missing as well.
        let hidden = ["application", "user_identifier"].first { name in
            guard let value = info?[name], !Self.isEmpty(value) else { return false }
            guard let line = DisplayLine(value) else { return true }
            return !line.isWhole || !Self.isShown(line.text)
        }
        if let hidden {
            defect = "The member \(hidden) of info can't be shown."
        } else {
            defect =
                isWhole
                ? nil : "A member of info that the documentation doesn't name can't be shown."
        }
    }

    /// Whether the core leaves a line as it is.
    private static func isShown(_ line: String) -> Bool {
        Challenge.Origin(application: line).application.map {
            DisplayText.showsAll(of: line, as: $0)
        } ?? false
    }

    /// Null and empty texts say nothing, as everywhere in `info`; nor do an empty list or object.
    private static func isEmpty(_ json: JSON) -> Bool {
        switch json {
        case .null: true
        case .string(let text): text.isEmpty
        case .array(let elements): elements.isEmpty
        case .object(let object): object.members.isEmpty
        case .bool, .number: false
        }
    }

    private static func line(_ json: JSON) -> DisplayLine? {
        switch json {
        case .string: DisplayLine(json)
        case .bool, .number: DisplayLine(.string(json.text))
        case .null, .array, .object: nil
        }
    }
}

import PushCore

/// What `info` has beside the members that the documentation names. A tenant puts there what the user
/// is to see, so it is shown under its own name; and if a part of it can't be shown as it is, the user
/// doesn't see what would be approved.
struct UndocumentedInfo {
    /// What can be shown, in order.
    let fields: [Challenge.Field]

    /// Whether that is all there is.
    let isWhole: Bool

    /// Why a challenge can only be denied if it isn't.
    private static let reason =
        "A member of info that the documentation doesn't name can't be shown."

    private static let documented: Set = [
        "application", "ip", "user_identifier", "agent", "location",
    ]
    private static let mostFields = 8

    init(in claims: ContextClaims) {
        let members = (claims.all["info"]?.object?.members ?? [])
            .filter { !Self.documented.contains($0.name) && !Self.isEmpty($0.value) }
        let lines = members.map { (name: $0.name, line: Self.line($0.value)) }
            .filter { !$0.name.isEmpty && $0.name == DisplayText.sanitized($0.name, .label) }
        let shown = lines.compactMap { name, line in
            line.map { Challenge.Field(name, $0.text) }
        }
        fields = Array(shown.prefix(Self.mostFields))
        isWhole =
            fields.count == members.count
            && zip(lines, fields).allSatisfy { line, field in
                line.line.map { $0.isWhole && DisplayText.showsAll(of: $0.text, as: field.value) }
                    ?? false
            }
    }

    /// What of a challenge's `info` the user can't see as it is; `nil` if they see all that an approval
    /// stands for.
    static func defect(in claims: ContextClaims) -> String? {
        let info = claims.all["info"]?.object
        // What is accessed, and as whom. The rest says where from, and may be missing as well.
        for name in ["application", "user_identifier"] {
            guard let value = info?[name], !isEmpty(value) else { continue }
            guard let line = DisplayLine(value), line.isWhole, isShown(line.text) else {
                return "The member \(name) of info can't be shown."
            }
        }
        return UndocumentedInfo(in: claims).isWhole ? nil : reason
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

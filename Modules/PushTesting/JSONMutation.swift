import PushCore

/// A JSON value with one field changed.
struct JSONMutation {
    /// Which field, and how, for a sentence: `aps.data dropped`.
    let summary: String

    /// The whole value, changed.
    let value: JSON

    private enum Step: Hashable {
        case name(String)
        case index(Int)
    }

    private static let longText = 40
    private static let flipsPerText = 24

    /// Every change of a single field, at any depth: dropped, null, retyped, doubled, and one
    /// character of a long text replaced.
    static func all(of root: JSON) -> [JSONMutation] {
        fields(of: root, at: []).flatMap { path, value in
            changes(of: value).map { change in
                JSONMutation(
                    summary: "\(name(of: path)) \(change.summary)",
                    value: replacing(root, at: path[...], with: change.value))
            }
        }
    }

    /// Every field of a value replaced by the same field of another one.
    static func swaps(of root: JSON, with other: JSON) -> [JSONMutation] {
        let donors = Dictionary(
            fields(of: other, at: []).map { ($0.path, $0.value) }, uniquingKeysWith: { $1 })
        return fields(of: root, at: []).compactMap { path, value in
            guard let donor = donors[path], donor != value else { return nil }
            return JSONMutation(
                summary: "\(name(of: path)) swapped",
                value: replacing(root, at: path[...], with: donor))
        }
    }

    // MARK: Changes

    private static func changes(of value: JSON) -> [(summary: String, value: JSON?)] {
        var changes: [(summary: String, value: JSON?)] = [("dropped", nil)]
        let retyped: [(String, JSON)] = [
            ("made null", .null), ("made text", text(of: value)),
            ("made a number", number(of: value)),
            ("made true", true), ("made false", false), ("put into an array", .array([value])),
            ("put into an object", ["value": value]), ("put twice into an array", [value, value]),
        ]
        changes += retyped.filter { $0.1 != value }
        if case .string(let text) = value {
            changes.append(("doubled", .string(text + text)))
            changes.append(("made empty", ""))
            changes += flips(of: text).map {
                ("changed at character \($0.position)", .string($0.text))
            }
        }
        return changes
    }

    private static func text(of value: JSON) -> JSON {
        switch value {
        case .string: value
        default: .string(value.text)
        }
    }

    private static func number(of value: JSON) -> JSON {
        switch value {
        case .number: value
        case .string(let text): Int64(text).map { .number(.init($0)) } ?? 7
        default: 7
        }
    }

    /// A text with one character replaced, at positions spread over it, first and last included.
    static func flips(of text: String) -> [(position: Int, text: String)] {
        let characters = Array(text)
        guard characters.count > longText else { return [] }
        let last = characters.count - 1
        let positions = Set((0...flipsPerText).map { $0 * last / flipsPerText })
        return positions.sorted().map { position in
            var changed = characters
            changed[position] = characters[position] == "A" ? "B" : "A"
            return (position, String(changed))
        }
    }

    // MARK: Paths

    private static func fields(of value: JSON, at path: [Step]) -> [(path: [Step], value: JSON)] {
        var children: [(Step, JSON)] = []
        switch value {
        case .object(let object): children = object.members.map { (.name($0.name), $0.value) }
        case .array(let elements):
            children = elements.enumerated().map { (.index($0.offset), $0.element) }
        default: break
        }
        return children.flatMap { step, child in
            [(path + [step], child)] + fields(of: child, at: path + [step])
        }
    }

    private static func replacing(
        _ root: JSON, at path: ArraySlice<Step>, with value: JSON?
    ) -> JSON {
        guard let step = path.first else { return root }
        let rest = path.dropFirst()
        switch (root, step) {
        case (.object(var object), .name(let name)):
            object[name] =
                rest.isEmpty ? value : object[name].map { replacing($0, at: rest, with: value) }
            return .object(object)
        case (.array(var elements), .index(let index)) where elements.indices.contains(index):
            if !rest.isEmpty {
                elements[index] = replacing(elements[index], at: rest, with: value)
            } else if let value {
                elements[index] = value
            } else {
                elements.remove(at: index)
            }
            return .array(elements)
        default:
            return root
        }
    }

    private static func name(of path: [Step]) -> String {
        path.map { step in
            switch step {
            case .name(let name): name
            case .index(let index): "\(index)"
            }
        }.joined(separator: ".")
    }
}

import PushCore

/// A JSON value with one field changed.
struct JSONMutation: Sendable {
    /// What a change makes of a field.
    enum Kind {
        /// It lacks, which may mean its default.
        case lacking
        /// It isn't of its type: what it was can't be read.
        case unreadable
        /// Another text or number stands there, which may mean something.
        case reworded
        /// What was true is false, or false true: another word in the same form.
        case reversed
        /// An array lacks an element, or has one more.
        case recounted
    }

    /// Which field, and how, for a sentence: `aps.data dropped`.
    let summary: String

    /// What that is to a reader.
    let kind: Kind

    /// The whole value, changed.
    let value: JSON

    private enum Step: Hashable {
        case name(String)
        case index(Int)
    }

    private static let longText = 40
    private static let flipsPerText = 24

    /// A number that no vendor documents, exact as a `Double` as well.
    private static let unknownNumber: Int64 = 0x1F_FFFF_FFFF_FFFE

    /// Every change of a single field, at any depth: dropped, null, retyped, doubled, and one
    /// character of a long text replaced.
    static func all(of root: JSON) -> [JSONMutation] {
        fields(of: root, at: []).flatMap { path, value in
            (changes(of: value) + flipped(value)).map { changed(root, at: path, by: $0) }
        }
    }

    /// What a server could say instead of a reply: every change of a single field, or of the whole, one
    /// kind of change after the other.
    static func misreadings(of root: JSON) -> [JSONMutation] {
        let whole: [Change] = [
            ("emptied", .lacking, [:]), ("made null", .lacking, .null),
            ("put into an array", .unreadable, .array([root])),
        ]
        return whole.filter { $0.value != root }
            .map {
                JSONMutation(summary: "all \($0.summary)", kind: $0.kind, value: $0.value ?? root)
            }
            + fields(of: root, at: []).flatMap { path, value in
                (changes(of: value) + recounted(value)).map { changed(root, at: path, by: $0) }
            }
    }

    private static func changed(
        _ root: JSON, at path: [Step], by change: Change
    ) -> JSONMutation {
        var kind = change.kind
        if change.value == nil, case .index? = path.last { kind = .recounted }
        return JSONMutation(
            summary: "\(name(of: path)) \(change.summary)", kind: kind,
            value: replacing(root, at: path[...], with: change.value))
    }

    /// Every field of a value replaced by the same field of another one.
    static func swaps(of root: JSON, with other: JSON) -> [JSONMutation] {
        let donors = Dictionary(
            fields(of: other, at: []).map { ($0.path, $0.value) }, uniquingKeysWith: { $1 })
        return fields(of: root, at: []).compactMap { path, value in
            guard let donor = donors[path], donor != value else { return nil }
            return JSONMutation(
                summary: "\(name(of: path)) swapped", kind: .reworded,
                value: replacing(root, at: path[...], with: donor))
        }
    }

    // MARK: Changes

    private typealias Change = (summary: String, kind: Kind, value: JSON?)

    private static func changes(of value: JSON) -> [Change] {
        let isFlag = value == true || value == false
        let retyped: [Change] = [
            ("made null", .lacking, .null), ("made text", .unreadable, text(of: value)),
            ("made a number", .unreadable, number(of: value)),
            ("made true", isFlag ? .reversed : .unreadable, true),
            ("made false", isFlag ? .reversed : .unreadable, false),
            ("put into an array", .unreadable, .array([value])),
            ("put into an object", .unreadable, ["value": value]),
            ("put twice into an array", .unreadable, [value, value]),
        ]
        var changes: [Change] = [("dropped", .lacking, nil)]
        changes += retyped.filter { $0.value != value }
        if case .string(let text) = value {
            changes.append(("doubled", .reworded, .string(text + text)))
            changes.append(("made empty", .lacking, ""))
        }
        return changes
    }

    private static func flipped(_ value: JSON) -> [Change] {
        guard case .string(let text) = value else { return [] }
        return flips(of: text).map {
            ("changed at character \($0.position)", .reworded, .string($0.text))
        }
    }

    private static func recounted(_ value: JSON) -> [Change] {
        switch value {
        case .array(let elements):
            [
                ("emptied", .recounted, elements.isEmpty ? nil : []),
                ("given a null", .recounted, .array(elements + [.null])),
                ("given its first again", .recounted, .array(elements + elements.prefix(1))),
            ].filter { $0.2 != nil && $0.2 != value }
        case .number: [("made another", .reworded, .integer(unknownNumber))]
        default: []
        }
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

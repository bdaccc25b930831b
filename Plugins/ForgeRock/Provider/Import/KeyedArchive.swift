import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One object as Apple's keyed archiver keeps it: its class, and its members as JSON.
///
/// It is read from the property list itself: Apple's own reader isn't everywhere, and where it is, a
/// damaged archive can end the process.
struct KeyedArchive {
    /// The name of the root object's class.
    let className: String

    /// Texts, numbers and booleans; `null` for nothing, and an empty array for any other value.
    let members: JSON.Object

    /// No record of the vendor's SDK has near as many, nor names as long.
    private static let mostMembers = 64
    private static let longestName = 128

    /// Reads an archive.
    ///
    /// - Throws: `PushError` with the code `malformed`.
    init(_ data: Data) throws(PushError) {
        let list = try BinaryPropertyList(data)
        let frame = try Self.dictionary(list, list.top)
        guard case .text("NSKeyedArchiver")? = try Self.object(list, frame["$archiver"]),
            case .integer(100_000)? = try Self.object(list, frame["$version"]),
            case .array(let objects)? = try Self.object(list, frame["$objects"]),
            let top = frame["$top"],
            case .reference(let root)? = try Self.object(
                list, try Self.dictionary(list, top)["root"])
        else { throw BinaryPropertyList.damaged("isn't one of the keyed archiver") }
        let graph = Graph(list: list, objects: objects)
        var fields = try Self.dictionary(list, try graph.place(root))
        guard let type = fields.removeValue(forKey: "$class"),
            case .reference(let description) = try list.object(type),
            case .text(let name)? = try Self.object(
                list,
                try Self.dictionary(list, try graph.place(description))["$classname"])
        else { throw BinaryPropertyList.damaged("doesn't name the class of its object") }
        className = name
        var members: JSON.Object = [:]
        for (name, value) in fields { members[name] = try graph.value(value) }
        self.members = members
    }

    private static func object(
        _ list: BinaryPropertyList, _ index: Int?
    ) throws(PushError) -> BinaryPropertyList.Object? {
        guard let index else { return nil }
        return try list.object(index)
    }

    /// The values of a dictionary, which are named by texts, each once.
    private static func dictionary(
        _ list: BinaryPropertyList, _ index: Int
    ) throws(PushError) -> [String: Int] {
        guard case .dictionary(let pairs) = try list.object(index), pairs.count <= mostMembers
        else { throw BinaryPropertyList.damaged("isn't one of the keyed archiver") }
        var values: [String: Int] = [:]
        for (key, value) in pairs {
            guard case .text(let name) = try list.object(key), name.utf8.count <= longestName,
                values.updateValue(value, forKey: name) == nil
            else { throw BinaryPropertyList.damaged("has a wrong or repeated name") }
        }
        return values
    }
}

/// The objects that references of an archive lead to.
private struct Graph {
    let list: BinaryPropertyList
    let objects: [Int]

    func place(_ reference: Int) throws(PushError) -> Int {
        guard objects.indices.contains(reference) else {
            throw BinaryPropertyList.damaged("refers to an object that it doesn't have")
        }
        return objects[reference]
    }

    /// A member's value, which stands in its place or behind one reference.
    func value(_ index: Int) throws(PushError) -> JSON {
        let object = try list.object(index)
        guard case .reference(let reference) = object else { return Self.json(object) }
        // The archiver's first object stands for nothing.
        guard reference != 0 else { return .null }
        return Self.json(try list.object(try place(reference)))
    }

    private static func json(_ object: BinaryPropertyList.Object) -> JSON {
        switch object {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .real(let value): JSON.Number(value).map { .number($0) } ?? []
        case .text(let value): .string(value)
        case .reference, .array, .dictionary, .other: []
        }
    }
}

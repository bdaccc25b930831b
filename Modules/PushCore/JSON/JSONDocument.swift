/// A JSON text that the strict reader has taken, and where in it each value stands.
///
/// An object that was read refers to it, and makes only the members that are asked for: most members of
/// a push, a token or a record never are.
final class JSONDocument: Sendable {
    /// One value, or a member's name, in the order of the text. A name is followed by its value, an
    /// array or object by what is in it.
    struct Node: Sendable {
        enum Kind: UInt8, Sendable {
            case null, `true`, `false`, number, string, array, object
        }

        let kind: Kind

        /// Of a string: whether it holds escapes.
        var isEscaped = false

        /// The first byte of a number or of a string's content; how many elements or members there are.
        var start: UInt32

        /// The byte after a number or a string's content; which of the indexes an object has, if any.
        var end: UInt32

        /// The node after this one and what is in it.
        var next: UInt32
    }

    /// Where the names of an object's members are.
    typealias Index = [MemberName: Int]

    /// What an object has that has no index.
    static let noIndex = Int(Int32.max)

    private let bytes: [UInt8]
    private let nodes: [Node]
    private let indexes: [Index]

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ nodes: [Node], _ indexes: [Index]) {
        self.bytes = Array(bytes)
        self.nodes = nodes
        self.indexes = indexes
    }

    /// The value at a node.
    func value(at position: Int) -> JSON {
        let node = nodes[position]
        switch node.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .number: return .number(number(of: node))
        case .string: return .string(text(of: node))
        case .array:
            var elements: [JSON] = []
            elements.reserveCapacity(Int(node.start))
            var element = position + 1
            while element < node.next {
                elements.append(value(at: element))
                element = Int(nodes[element].next)
            }
            return .array(elements)
        case .object: return .object(JSON.Object(in: self, at: position))
        }
    }

    private func text(of node: Node) -> String {
        bytes.withUnsafeBufferPointer { Self.text(of: node, in: $0) }
    }

    private func number(of node: Node) -> JSON.Number {
        let number = bytes.withUnsafeBufferPointer { bytes in
            Self.number(Int(node.start)..<Int(node.end), in: bytes)
        }
        return number ?? JSON.Number(0)
    }

    // MARK: Texts and numbers

    /// What a string's content, which was checked, stands for.
    static func text(of node: Node, in bytes: UnsafeBufferPointer<UInt8>) -> String {
        let content = UnsafeBufferPointer(rebasing: bytes[Int(node.start)..<Int(node.end)])
        guard node.isEscaped else { return string(content) }
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(content.count)
        var position = 0
        while position < content.count {
            let start = position
            while position < content.count, content[position] != UInt8(ascii: "\\") {
                position += 1
            }
            unescaped.append(contentsOf: content[start..<position])
            // It was read before, and so can be.
            guard position < content.count,
                let scalar = try? JSONEscape.scalar(in: content, at: &position)
            else { break }
            unescaped.append(contentsOf: String(scalar).utf8)
        }
        return unescaped.withUnsafeBufferPointer { string($0) }
    }

    /// A text of bytes that were checked. The library copies a short one at once if it lends the
    /// memory, and else takes it byte by byte.
    private static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { output in
            UnsafeMutableRawBufferPointer(output).copyMemory(from: UnsafeRawBufferPointer(bytes))
            return bytes.count
        }
    }

    /// A number that has the form of one; `nil` if it is beyond the range of a double.
    static func number(
        _ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>
    ) -> JSON.Number? {
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        if let value = Int64(text) { return JSON.Number(value) }
        return Double(text).flatMap { JSON.Number($0) }
    }

    // MARK: Objects

    func count(ofObjectAt position: Int) -> Int { Int(nodes[position].start) }

    func members(ofObjectAt position: Int) -> [JSON.Object.Member] {
        let object = nodes[position]
        var members: [JSON.Object.Member] = []
        members.reserveCapacity(Int(object.start))
        var name = position + 1
        while name < object.next {
            members.append((text(of: nodes[name]), value(at: name + 1)))
            name = Int(nodes[name + 1].next)
        }
        return members
    }

    /// The value of the member that has exactly this name.
    func member(_ name: String, ofObjectAt position: Int) -> JSON? {
        let object = nodes[position]
        if object.end < Self.noIndex {
            guard let found = indexes[Int(object.end)][MemberName(name)],
                text(of: nodes[found]).hasSameBytes(as: name)
            else { return nil }
            return value(at: found + 1)
        }
        var text = name
        let found = text.withUTF8 { name in
            bytes.withUnsafeBufferPointer { bytes in
                nodes.withUnsafeBufferPointer { nodes in
                    Self.find(name, in: bytes, nodes, from: position + 1, to: Int(object.next))
                }
            }
        }
        return found.map { value(at: $0 + 1) }
    }

    /// Where a name is among those of an object without an index, which are ASCII and hold no escapes.
    static func find(
        _ name: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>,
        _ nodes: UnsafeBufferPointer<Node>, from start: Int, to end: Int
    ) -> Int? {
        var position = start
        while position < end {
            let node = nodes[position]
            if Int(node.end - node.start) == name.count,
                hasBytes(name, at: Int(node.start), in: bytes)
            {
                return position
            }
            position = Int(nodes[position + 1].next)
        }
        return nil
    }

    private static func hasBytes(
        _ name: UnsafeBufferPointer<UInt8>, at start: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        for offset in 0..<name.count where bytes[start + offset] != name[offset] { return false }
        return true
    }
}

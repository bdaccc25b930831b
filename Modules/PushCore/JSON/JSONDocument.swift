/// A JSON text that the strict reader has taken, and where in it each value stands.
///
/// An object that was read refers to it, and makes only the members that are asked for: most members of
/// a push, a token or a record never are. Its memory is written by its initializer and never again: that
/// is why `@unchecked Sendable` is safe here.
struct JSONDocument: @unchecked Sendable {
    /// What an object has that has no index.
    static let noIndex = Int(Int32.max)

    /// The nodes, and behind them the text.
    private let memory: ManagedBuffer<Header, JSONNode>

    private struct Header {
        let nodes: Int
        let bytes: Int
        let indexes: JSONIndexes
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ nodes: JSONNodes, _ indexes: JSONIndexes) {
        let size = MemoryLayout<JSONNode>.stride
        memory = .create(minimumCapacity: nodes.count + (bytes.count + size - 1) / size) { _ in
            Header(nodes: nodes.count, bytes: bytes.count, indexes: indexes)
        }
        memory.withUnsafeMutablePointerToElements { start in
            _ = UnsafeMutableBufferPointer(start: start, count: nodes.count)
                .initialize(fromContentsOf: nodes.found)
            UnsafeMutableRawBufferPointer(start: start + nodes.count, count: bytes.count)
                .copyMemory(from: UnsafeRawBufferPointer(bytes))
        }
    }

    private var nodes: UnsafeBufferPointer<JSONNode> {
        memory.withUnsafeMutablePointers { header, start in
            UnsafeBufferPointer(start: start, count: header.pointee.nodes)
        }
    }

    private var bytes: UnsafeBufferPointer<UInt8> {
        memory.withUnsafeMutablePointers { header, start in
            let text = UnsafeRawBufferPointer(
                start: start + header.pointee.nodes, count: header.pointee.bytes)
            return text.bindMemory(to: UInt8.self)
        }
    }

    /// The value at a node.
    func value(at position: Int) -> JSON {
        let node = nodes[position]
        switch node.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .number:
            let number = Self.number(Int(node.start)..<Int(node.end), in: bytes)
            return .number(number ?? JSON.Number(0))
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

    private func text(of node: JSONNode) -> String { Self.text(of: node, in: bytes) }

    // MARK: Texts and numbers

    /// What a string's content, which was checked, stands for.
    static func text(of node: JSONNode, in bytes: UnsafeBufferPointer<UInt8>) -> String {
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
        if range.count <= 18, let value = shortInteger(range, in: bytes) {
            return JSON.Number(value)
        }
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        if let value = Int64(text) { return JSON.Number(value) }
        return Double(text).flatMap { JSON.Number($0) }
    }

    /// An integer of so few digits that it can't overflow; `nil` if it has anything else in it.
    private static func shortInteger(
        _ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Int64? {
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        var value: Int64 = 0
        for position in (range.lowerBound + (isNegative ? 1 : 0))..<range.upperBound {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ Int64(digit)
        }
        return isNegative ? -value : value
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
        find(name, ofObjectAt: position).map { value(at: $0) }
    }

    /// Whether the member that has exactly this name is a string.
    func hasText(_ name: String, ofObjectAt position: Int) -> Bool {
        find(name, ofObjectAt: position).map { nodes[$0].kind == .string } ?? false
    }

    /// Lends the text of the member that has exactly this name.
    func withText<Value>(
        _ name: String, ofObjectAt position: Int, _ body: (UnsafeRawBufferPointer) -> Value
    ) -> Value? {
        guard let node = find(name, ofObjectAt: position).map({ nodes[$0] }), node.kind == .string
        else { return nil }
        guard !node.isEscaped else {
            return text(of: node).withLentBytes { body(UnsafeRawBufferPointer($0)) }
        }
        let text = UnsafeBufferPointer(rebasing: bytes[Int(node.start)..<Int(node.end)])
        return body(UnsafeRawBufferPointer(text))
    }

    /// Where the value is of the member that has exactly this name.
    private func find(_ name: String, ofObjectAt position: Int) -> Int? {
        let object = nodes[position]
        if object.end < Self.noIndex {
            return memory.header.indexes.find(name, of: object, in: bytes, nodes)
                .flatMap { text(of: nodes[$0]).hasSameBytes(as: name) ? $0 + 1 : nil }
        }
        let found = name.withLentBytes { name in
            Self.find(name, in: bytes, nodes, from: position + 1, to: Int(object.next))
        }
        return found.map { $0 + 1 }
    }

    /// Where a name is among those of an object without an index, which are ASCII and hold no escapes.
    static func find(
        _ name: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>,
        _ nodes: UnsafeBufferPointer<JSONNode>, from start: Int, to end: Int
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

    static func hasBytes(
        _ name: UnsafeBufferPointer<UInt8>, at start: Int, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        for offset in 0..<name.count where bytes[start + offset] != name[offset] { return false }
        return true
    }
}

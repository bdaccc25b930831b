/// One value, or a member's name, in the order of the text. A name is followed by its value, an
/// array or object by what is in it.
struct JSONNode: Sendable {
    enum Kind: UInt8, Sendable {
        case null, `true`, `false`, number, string, array, object
    }

    let kind: Kind

    /// Of a string: whether it holds escapes. Of an object with an index: whether a name isn't plain
    /// ASCII.
    var isEscaped = false

    /// The first byte of a number or of a string's content; how many elements or members there are.
    var start: UInt32

    /// The byte after a number or a string's content; where an object's index is, if it has one.
    var end: UInt32

    /// The node after this one and what is in it.
    var next: UInt32
}

/// The values that a reader has found so far: in memory that it was lent, and in memory of its own once
/// that is full.
struct JSONNodes {
    private var memory: UnsafeMutableBufferPointer<JSONNode>
    private var isOwn = false
    private(set) var count = 0

    /// Room for this many spares most texts from asking for memory at all.
    private static let usualCount = 64

    /// Lends memory for as long as the body runs.
    static func withLent<Value>(_ body: (JSONNodes) -> Value) -> Value {
        withUnsafeTemporaryAllocation(of: JSONNode.self, capacity: usualCount) {
            body(JSONNodes(lent: $0))
        }
    }

    private init(lent: UnsafeMutableBufferPointer<JSONNode>) {
        memory = lent
    }

    /// What was found so far; only until more is.
    var found: UnsafeBufferPointer<JSONNode> {
        UnsafeBufferPointer(rebasing: memory[..<count])
    }

    subscript(position: Int) -> JSONNode {
        get { memory[position] }
        nonmutating set { memory[position] = newValue }
    }

    mutating func append(_ node: JSONNode) {
        if count == memory.count { grow() }
        memory.initializeElement(at: count, to: node)
        count += 1
    }

    /// Gives back what was asked for; afterwards it is of no use.
    func free() {
        if isOwn { memory.deallocate() }
    }

    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<JSONNode>.allocate(capacity: 2 * memory.count)
        _ = larger.initialize(fromContentsOf: found)
        free()
        memory = larger
        isOwn = true
    }
}

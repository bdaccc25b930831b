/// A recursive-descent reader over lent bytes; the depth limit bounds its recursion.
struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private var position = 0
    private var depth = 0
    /// What was read, and the names of objects that are looked up by an index.
    private var nodes: JSONNodes
    private var indexes = JSONIndexes()
    /// Names are compared one by one in objects of up to this many members, if all are plain ASCII.
    private static let linearSearchLimit = 16
    /// How many of the characters of the string being read aren't ASCII.
    private var wideCharacters = 0

    /// Comparing or hashing a string sorts each run of combining marks, in quadratic time. No text
    /// has near as many in a row: Unicode's Stream-Safe Text Format has 30 (Unicode Standard Annex #15).
    private static let longestRunOfMarks = 256

    /// Reads a text that may be nested so deeply. A failure says what is wrong, and where.
    static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, depth: Int
    ) -> Result<JSON, JSON.Failure> {
        #if DEBUG
        JSON.listener.get()?.hear(Array(bytes))
        #endif
        return JSONNodes.withLent { nodes in
            var reader = JSONReader(bytes, depth: depth, nodes)
            defer { reader.nodes.free() }
            do throws(JSON.Failure) {
                return .success(try reader.readText())
            } catch {
                return .failure(error)
            }
        }
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int, _ nodes: JSONNodes) {
        self.bytes = bytes
        maximumDepth = depth
        self.nodes = nodes
    }

    private mutating func readText() throws(JSON.Failure) -> JSON {
        skipSpace()
        try readValue()
        skipSpace()
        guard position == bytes.count else { throw failure(.trailingBytes) }
        return JSONDocument(bytes, nodes, indexes).value(at: 0)
    }

    private func failure(_ kind: JSON.Failure.Kind, at offset: Int? = nil) -> JSON.Failure {
        JSON.Failure(kind: kind, offset: offset ?? position)
    }

    private func peek() throws(JSON.Failure) -> UInt8 {
        guard position < bytes.count else { throw failure(.truncated) }
        return bytes[position]
    }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func expect(_ byte: UInt8) throws(JSON.Failure) {
        guard try peek() == byte else { throw failure(.unexpectedByte) }
        position += 1
    }

    private mutating func readValue() throws(JSON.Failure) {
        switch try peek() {
        case UInt8(ascii: "{"): try readObject()
        case UInt8(ascii: "["): try readArray()
        case UInt8(ascii: "\""): try readString()
        case UInt8(ascii: "t"): try readLiteral("true", .true)
        case UInt8(ascii: "f"): try readLiteral("false", .false)
        case UInt8(ascii: "n"): try readLiteral("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func readLiteral(
        _ literal: StaticString, _ kind: JSONNode.Kind
    ) throws(JSON.Failure) {
        let start = position
        for offset in 0..<literal.utf8CodeUnitCount {
            try expect(literal.utf8Start[offset])
        }
        append(kind, start..<position)
    }

    private mutating func append(
        _ kind: JSONNode.Kind, _ range: Range<Int>, isEscaped: Bool = false
    ) {
        nodes.append(
            JSONNode(
                kind: kind, isEscaped: isEscaped,
                // A text has fewer bytes than 32 bits can count.
                start: UInt32(truncatingIfNeeded: range.lowerBound),
                end: UInt32(truncatingIfNeeded: range.upperBound),
                next: UInt32(truncatingIfNeeded: nodes.count + 1)))
    }

    // MARK: Containers

    /// - Returns: The container's node.
    private mutating func enter(_ kind: JSONNode.Kind) throws(JSON.Failure) -> Int {
        guard depth < maximumDepth else { throw failure(.tooDeep) }
        depth += 1
        position += 1
        append(kind, 0..<JSONDocument.noIndex)
        skipSpace()
        return nodes.count - 1
    }

    private mutating func leave(_ container: Int, count: Int) {
        depth -= 1
        position += 1
        nodes[container].start = UInt32(count)
        nodes[container].next = UInt32(nodes.count)
    }

    /// After a member or element: steps over a comma, or tells that the container closes here.
    private mutating func closes(with end: UInt8) throws(JSON.Failure) -> Bool {
        skipSpace()
        if try peek() == end { return true }
        try expect(UInt8(ascii: ","))
        skipSpace()
        return false
    }

    private mutating func readObject() throws(JSON.Failure) {
        let object = try enter(.object)
        var isPlain = true
        var marks: UInt64 = 0
        var count = 0
        var isClosed = try peek() == UInt8(ascii: "}")
        while !isClosed {
            let start = position
            guard try peek() == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
            let name = nodes.count
            try readString()
            let isASCII = wideCharacters == 0
            guard isASCII || text(at: name).utf8.count <= MemberName.longestCompared else {
                throw failure(.nameTooLong, at: start)
            }
            if !isASCII || nodes[name].isEscaped { isPlain = false }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            try readValue()
            if isPlain, count < Self.linearSearchLimit, !isNew(name, of: object, &marks) {
                throw failure(.duplicateName, at: start)
            }
            count += 1
            isClosed = try closes(with: UInt8(ascii: "}"))
        }
        leave(object, count: count)
        guard !isPlain || count > Self.linearSearchLimit else { return }
        nodes[object].isEscaped = !isPlain
        nodes[object].end = UInt32(indexes.end)
        if let duplicate = indexes.add(
            nodes[object], from: object + 1, in: bytes, nodes.found)
        {
            throw failure(.duplicateName, at: Int(nodes[duplicate].start) - 1)
        }
    }

    /// Whether no member before this one has its name; all names so far are plain ASCII, and to have
    /// the same bytes is to be equivalent.
    ///
    /// `marks` has a bit for each name so far, by its length and its first and last character. A
    /// name whose bit isn't there is new without a search.
    private func isNew(_ name: Int, of object: Int, _ marks: inout UInt64) -> Bool {
        let range = Int(nodes[name].start)..<Int(nodes[name].end)
        let text = UnsafeBufferPointer(rebasing: bytes[range])
        let sum = UInt64(text.count) &+ UInt64(text.first ?? 0) &+ 7 &* UInt64(text.last ?? 0)
        let mark: UInt64 = 1 << (sum & 63)
        guard marks & mark != 0 else {
            marks |= mark
            return true
        }
        return JSONDocument.find(text, in: bytes, nodes.found, from: object + 1, to: name) == nil
    }

    private func text(at node: Int) -> String { JSONDocument.text(of: nodes[node], in: bytes) }

    private mutating func readArray() throws(JSON.Failure) {
        let array = try enter(.array)
        var count = 0
        var isClosed = try peek() == UInt8(ascii: "]")
        while !isClosed {
            try readValue()
            count += 1
            isClosed = try closes(with: UInt8(ascii: "]"))
        }
        leave(array, count: count)
    }

    private mutating func readNumber() throws(JSON.Failure) {
        let start = position
        position = try JSONNumberText.end(in: bytes, from: start)
        append(.number, start..<position)
    }

    // MARK: Strings

    private mutating func readString() throws(JSON.Failure) {
        let start = position
        wideCharacters = 0
        // Most strings are plain throughout.
        let end = start + 1 + PlainRun.length(in: bytes, from: start + 1)
        if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
            position = end + 1
            return append(.string, start + 1..<end)
        }
        let isEscaped = try skipCharacters()
        append(.string, start + 1..<position - 1, isEscaped: isEscaped)
        guard wideCharacters > Self.longestRunOfMarks else { return }
        guard Self.isComparable(text(at: nodes.count - 1)) else {
            throw failure(.tooManyMarks, at: start)
        }
    }

    private static func isComparable(_ string: String) -> Bool {
        var run = 0
        for scalar in string.unicodeScalars {
            let isMark =
                scalar.value >= 0x300
                && scalar.properties.canonicalCombiningClass != .notReordered
            run = isMark ? run + 1 : 0
            guard run <= longestRunOfMarks else { return false }
        }
        return true
    }

    /// - Returns: Whether the string holds escapes.
    private mutating func skipCharacters() throws(JSON.Failure) -> Bool {
        position += 1
        try skipPlainCharacters()
        var isEscaped = false
        while try peek() != UInt8(ascii: "\"") {
            isEscaped = true
            if JSONEscape.isShort(in: bytes, at: position) {
                position += 2
            } else {
                let scalar = try JSONEscape.scalar(in: bytes, at: &position)
                if !scalar.isASCII { wideCharacters += 1 }
            }
            try skipPlainCharacters()
        }
        position += 1
        return isEscaped
    }

    /// Steps over everything up to a quote, a backslash or the end, checking that it is UTF-8.
    private mutating func skipPlainCharacters() throws(JSON.Failure) {
        while true {
            position += PlainRun.length(in: bytes, from: position)
            guard position < bytes.count else { return }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            guard byte >= 0x80 else { throw failure(.controlCharacter) }
            guard let length = UTF8Sequence.length(in: bytes, at: position) else {
                throw failure(.invalidUTF8)
            }
            position += length
            wideCharacters += 1
        }
    }
}

/// A recursive-descent reader over lent bytes; the depth limit bounds its recursion.
struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private var position = 0
    private var depth = 0
    /// The string being read, if it holds escapes; kept, so that its memory serves the next one.
    private var unescaped: [UInt8] = []
    /// How many of the characters of the string being read aren't ASCII.
    private var wideCharacters = 0

    /// Comparing or hashing a string sorts each run of combining marks, in quadratic time. No text
    /// has near as many in a row.
    private static let longestRunOfMarks = 4096

    init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int) {
        self.bytes = bytes
        maximumDepth = depth
    }

    mutating func readText() throws(JSON.Failure) -> JSON {
        skipSpace()
        let value = try readValue()
        skipSpace()
        guard position == bytes.count else { throw failure(.trailingBytes) }
        return value
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

    private mutating func readValue() throws(JSON.Failure) -> JSON {
        switch try peek() {
        case UInt8(ascii: "{"): return .object(try readObject())
        case UInt8(ascii: "["): return .array(try readArray())
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "t"): return try readLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try readLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try readLiteral("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try readNumber())
        default: throw failure(.unexpectedByte)
        }
    }

    private mutating func readLiteral(
        _ literal: StaticString, _ value: JSON
    ) throws(JSON.Failure) -> JSON {
        for offset in 0..<literal.utf8CodeUnitCount {
            try expect(literal.utf8Start[offset])
        }
        return value
    }

    // MARK: Containers

    private mutating func enter() throws(JSON.Failure) {
        guard depth < maximumDepth else { throw failure(.tooDeep) }
        depth += 1
        position += 1
        skipSpace()
    }

    private mutating func leave() {
        depth -= 1
        position += 1
    }

    /// After a member or element: steps over a comma, or tells that the container closes here.
    private mutating func closes(with end: UInt8) throws(JSON.Failure) -> Bool {
        skipSpace()
        if try peek() == end { return true }
        try expect(UInt8(ascii: ","))
        skipSpace()
        return false
    }

    private mutating func readObject() throws(JSON.Failure) -> JSON.Object {
        try enter()
        var object = JSON.Object()
        var isClosed = try peek() == UInt8(ascii: "}")
        while !isClosed {
            let start = position
            guard try peek() == UInt8(ascii: "\"") else { throw failure(.unexpectedByte) }
            let name = try readString()
            guard wideCharacters == 0 || name.utf8.count <= MemberName.longestCompared else {
                throw failure(.nameTooLong, at: start)
            }
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            let value = try readValue()
            guard object.insert(name, value) else { throw failure(.duplicateName, at: start) }
            isClosed = try closes(with: UInt8(ascii: "}"))
        }
        leave()
        return object
    }

    private mutating func readArray() throws(JSON.Failure) -> [JSON] {
        try enter()
        var elements: [JSON] = []
        var isClosed = try peek() == UInt8(ascii: "]")
        while !isClosed {
            elements.append(try readValue())
            isClosed = try closes(with: UInt8(ascii: "]"))
        }
        leave()
        return elements
    }

    // MARK: Numbers

    private mutating func skipDigits() throws(JSON.Failure) {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") <= 9 { position += 1 }
        guard position > start else { throw failure(.invalidNumber) }
    }

    private mutating func readNumber() throws(JSON.Failure) -> JSON.Number {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        let firstDigit = position
        try skipDigits()
        if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
            throw failure(.invalidNumber, at: firstDigit)
        }
        var isInteger = true
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            isInteger = false
            position += 1
            try skipDigits()
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if position < bytes.count,
                bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
            {
                position += 1
            }
            try skipDigits()
        }
        // Converting a decimal costs more than linear time in its digits.
        guard position - start <= 512 else { throw failure(.invalidNumber, at: start) }
        let text = String(
            decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        if isInteger, let value = Int64(text) { return JSON.Number(value) }
        guard let value = Double(text), let number = JSON.Number(value) else {
            throw failure(.numberOutOfRange, at: start)
        }
        return number
    }

    // MARK: Strings

    private mutating func readString() throws(JSON.Failure) -> String {
        let start = position
        wideCharacters = 0
        let string = try readCharacters()
        guard wideCharacters <= Self.longestRunOfMarks || Self.isComparable(string) else {
            throw failure(.tooManyMarks, at: start)
        }
        return string
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

    private mutating func readCharacters() throws(JSON.Failure) -> String {
        position += 1
        let start = position
        try skipPlainCharacters()
        if try peek() == UInt8(ascii: "\"") {
            defer { position += 1 }
            return String(
                decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        }
        unescaped.removeAll(keepingCapacity: true)
        unescaped.append(contentsOf: bytes[start..<position])
        while try peek() != UInt8(ascii: "\"") {
            try readEscape()
            let plain = position
            try skipPlainCharacters()
            unescaped.append(contentsOf: bytes[plain..<position])
        }
        position += 1
        return String(decoding: unescaped, as: UTF8.self)
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

    private mutating func readEscape() throws(JSON.Failure) {
        let start = position
        position += 1
        let letter = try peek()
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(letter)
        case UInt8(ascii: "b"): unescaped.append(0x08)
        case UInt8(ascii: "f"): unescaped.append(0x0C)
        case UInt8(ascii: "n"): unescaped.append(0x0A)
        case UInt8(ascii: "r"): unescaped.append(0x0D)
        case UInt8(ascii: "t"): unescaped.append(0x09)
        case UInt8(ascii: "u"):
            let scalar = try readScalar(escapedAt: start)
            if !scalar.isASCII { wideCharacters += 1 }
            unescaped.append(contentsOf: String(scalar).utf8)
        default: throw failure(.invalidEscape, at: start)
        }
    }

    private mutating func readScalar(escapedAt start: Int) throws(JSON.Failure) -> Unicode.Scalar {
        let first = try readHex()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), position + 1 < bytes.count,
            bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
        else { throw failure(.loneSurrogate, at: start) }
        position += 2
        let second = try readHex()
        guard UTF16.isTrailSurrogate(second) else { throw failure(.loneSurrogate, at: start) }
        let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw failure(.loneSurrogate, at: start) }
        return scalar
    }

    private mutating func readHex() throws(JSON.Failure) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(try peek())).hexDigitValue else {
                throw failure(.invalidEscape)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }
}

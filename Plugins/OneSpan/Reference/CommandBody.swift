import PushCore
import PushOneSpan

/// The body of a command: canonical TLV, checked against what its type lists.
struct CommandBody: Sendable {
    private let values: [BodyTag: [UInt8]]

    /// Reads a body.
    ///
    /// - Parameters:
    ///   - bytes: What the sealing held.
    ///   - header: The command's header.
    /// - Throws: ``OrchestrationProblem/commandMalformed`` unless it is canonical and whole.
    init(parsing bytes: UnsafeRawBufferPointer, of header: CommandHeader) throws(OrchestrationError)
    {
        var values: [BodyTag: [UInt8]] = [:]
        var previous = -1
        var rest = bytes[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { throw CommandEnvelope.malformed }
            let number = UInt16(bigEndian: rest.prefix(2))
            let length = Int(UInt16(bigEndian: rest.dropFirst(2).prefix(2)))
            rest = rest.dropFirst(4)
            guard Int(number) > previous, length <= rest.count else {
                throw CommandEnvelope.malformed
            }
            previous = Int(number)
            let value = Array(rest.prefix(length))
            rest = rest.dropFirst(length)
            guard let tag = BodyTag(rawValue: number) else {
                guard number >= BodyTag.ignorable else { throw CommandEnvelope.malformed }
                continue
            }
            guard tag.allows(length), !tag.isText || Self.text(value) != nil else {
                throw CommandEnvelope.malformed
            }
            values[tag] = value
        }
        self.values = values
        guard BodyContents(of: header, values).areWhole else { throw CommandEnvelope.malformed }
    }

    /// A value of any length; `nil` if absent.
    subscript(tag: BodyTag) -> [UInt8]? { values[tag] }

    /// A value that its type always lists.
    func bytes(_ tag: BodyTag) throws(OrchestrationError) -> [UInt8] {
        guard let value = values[tag] else { throw CommandEnvelope.malformed }
        return value
    }

    /// A text that its type always lists.
    func text(_ tag: BodyTag) throws(OrchestrationError) -> String {
        guard let text = Self.text(try bytes(tag)) else { throw CommandEnvelope.malformed }
        return text
    }

    /// A number that its type always lists.
    func number<Number: FixedWidthInteger>(_ tag: BodyTag) throws(OrchestrationError) -> Number {
        Number(bigEndian: try bytes(tag))
    }

    /// A text of UTF-8 without NUL; `nil` for anything else.
    static func text(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) && !bytes.contains(0) ? text : nil
    }
}

/// A body that is being written; secrets in it are cleared.
struct BodyWriter {
    private var parts: [Secret] = []

    /// Adds a value. The caller adds them in the order of their tags, as ``CommandBody`` asks.
    mutating func add(_ tag: BodyTag, _ value: Secret) {
        parts.append(Secret(tag.rawValue.bigEndianBytes + UInt16(value.count).bigEndianBytes))
        parts.append(value)
    }

    /// Adds a value that isn't a secret.
    mutating func add(_ tag: BodyTag, _ value: some Collection<UInt8>) {
        add(tag, Secret(value))
    }

    var body: Secret { Secret(joining: parts) }
}

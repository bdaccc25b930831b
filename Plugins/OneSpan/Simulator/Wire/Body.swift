/// The fields of a command, in their one order.
struct Body {
    private var fields: [Tag: [UInt8]] = [:]

    init() {}

    init(_ fields: [Tag: [UInt8]]) {
        self.fields = fields
    }

    subscript(tag: Tag) -> [UInt8]? {
        get { fields[tag] }
        set { fields[tag] = newValue }
    }

    /// A field that the type of the command demands, so that reading it can't fail.
    func bytes(_ tag: Tag) -> [UInt8] { fields[tag] ?? [] }

    /// A field of one byte, likewise.
    func byte(_ tag: Tag) -> UInt8 { fields[tag]?.first ?? 0 }

    func text(_ tag: Tag) -> String { String(decoding: bytes(tag), as: UTF8.self) }

    /// Tag, length and value of each field, by ascending tags.
    var encoded: [UInt8] {
        fields.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { tag, value in
            tag.rawValue.bytes + UInt16(truncatingIfNeeded: value.count).bytes + value
        }
    }

    /// Reads what a device sent; `nil` for anything but the one encoding of what it may hold.
    init?(reading bytes: [UInt8], as contents: CommandType.Contents) {
        var rest = bytes[...]
        var last: UInt16?
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let number = UInt16(rest.prefix(2))
            let count = Int(UInt16(rest.dropFirst(2).prefix(2)))
            rest = rest.dropFirst(4)
            guard last.map({ $0 < number }) ?? true, rest.count >= count else { return nil }
            last = number
            let value = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            guard let tag = Tag(rawValue: number) else {
                guard number >= Tag.ignorable else { return nil }
                continue
            }
            guard contents.required.contains(tag) || contents.optional.contains(tag),
                tag.sizes.contains(count), !tag.isText || Self.isText(value)
            else { return nil }
            fields[tag] = value
        }
        guard contents.required.allSatisfy({ fields[$0] != nil }) else { return nil }
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.contains(0) && String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
    }
}

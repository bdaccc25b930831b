extension String {
    /// Whether every byte is an ASCII character: two such texts are equivalent to Unicode only if
    /// their bytes are the same.
    var isASCII: Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy { $0 < 0x80 } }
    }

    /// Whether every byte is a printable ASCII character.
    var isPrintableASCII: Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy { 0x20...0x7E ~= $0 } }
    }

    /// Whether two texts have the same bytes; `==` would take two spellings that Unicode calls
    /// equivalent for one, which to a vendor are two.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (one, other) = (self, other)
        return one.withUTF8 { one in other.withUTF8 { one.elementsEqual($0) } }
    }

    /// Feeds the bytes of the text, and a mark of its end.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)  // no byte of UTF-8
    }
}

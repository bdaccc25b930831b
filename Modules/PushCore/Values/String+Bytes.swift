extension String {
    /// Whether every byte is an ASCII character: two such texts are equivalent to Unicode only if
    /// their bytes are the same.
    var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

    /// Whether two texts have the same bytes; `==` would take two spellings that Unicode calls
    /// equivalent for one, which to a vendor are two.
    func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// Feeds the bytes of the text, and a mark of its end.
    func hashBytes(into hasher: inout Hasher) {
        var text = self
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)  // no byte of UTF-8
    }
}

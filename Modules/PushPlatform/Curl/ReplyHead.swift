#if os(Linux)
import HTTPTypes

/// The head of a reply, collected from the lines that libcurl hands over one by one.
///
/// Informational heads come first and are dropped; trailers come last and are, too.
struct ReplyHead {
    /// The most bytes all lines may have.
    static let limit = 64 << 10

    private(set) var fields = HTTPFields()

    /// Whether the empty line that ends a head has come.
    private(set) var isComplete = false
    private var size = 0
    private var isOpen = false

    /// Whether it doesn't name two lengths that differ.
    var hasOneLength: Bool {
        let lengths = fields[values: .contentLength].flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { length in
                length.filter { $0 != 0x20 && $0 != 0x09 }
            }
        }
        return Set(lengths).count < 2
    }

    /// Takes one line.
    ///
    /// - Returns: Whether there is still room; if not, the exchange must end.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        size += line.count
        guard size <= Self.limit else { return false }
        if line.starts(with: "HTTP/".utf8) {
            fields = HTTPFields()
            isOpen = true
            isComplete = false
        } else if isOpen {
            let content = trimmed(line[...])
            if content.isEmpty {
                isOpen = false
                isComplete = true
            } else if line.first == 0x20 || line.first == 0x09 {
                continueField(with: content)
            } else {
                addField(content)
            }
        }
        return true
    }

    private mutating func addField(_ line: Slice<UnsafeRawBufferPointer>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        guard let name = HTTPField.Name(name) else { return }
        let value = trimmed(line[line.index(after: colon)...])
        fields.append(HTTPField(name: name, lenientValue: value))
    }

    /// A line that starts with a space belongs to the field before it (RFC 9112, section 5.2).
    private mutating func continueField(with content: Slice<UnsafeRawBufferPointer>) {
        guard let index = fields.indices.last else { return }
        let field = fields[index]
        let value = field.withUnsafeBytesOfValue { Array($0) } + [0x20] + content
        fields[index] = HTTPField(name: field.name, lenientValue: value)
    }

    private func trimmed(
        _ line: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer> {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
        }
        let start = line.drop(while: isBlank)
        guard let end = start.lastIndex(where: { !isBlank($0) }) else { return start }
        return start[...end]
    }
}
#endif

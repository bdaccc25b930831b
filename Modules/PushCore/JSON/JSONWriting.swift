#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSON {
    /// The value as compact JSON text: members in their order, `/` not escaped.
    public var data: Data { Data(utf8) }

    /// The value as compact JSON text: members in their order, `/` not escaped.
    public var text: String { String(decoding: utf8, as: UTF8.self) }

    /// The bytes of ``text``.
    public var utf8: [UInt8] {
        var output: [UInt8] = []
        // Enough for most of what is written: a record, a request's body. Less than a kibibyte with the
        // array's own header, which is what allocators have at hand.
        output.reserveCapacity(960)
        write(to: &output)
        return output
    }

    /// The bytes of an object that has one member, a string.
    static func utf8(name: String, text: String) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(name.utf8.count + text.utf8.count + 7)
        output.append(UInt8(ascii: "{"))
        write(name, to: &output)
        output.append(UInt8(ascii: ":"))
        write(text, to: &output)
        output.append(UInt8(ascii: "}"))
        return output
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): output.append(contentsOf: value.text.utf8)
        case .string(let value): Self.write(value, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            var isFirst = true
            for element in elements {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            var isFirst = true
            for member in object.members {
                if !isFirst { output.append(UInt8(ascii: ",")) }
                isFirst = false
                Self.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        string.withLentBytes { bytes in
            var start = 0
            var position = 0
            while true {
                position += PlainRun.length(in: bytes, from: position)
                guard position < bytes.count else { break }
                if bytes[position] < 0x80 {
                    output.append(contentsOf: bytes[start..<position])
                    writeEscaped(bytes[position], to: &output)
                    start = position + 1
                }
                position += 1
            }
            output.append(contentsOf: bytes[start...])
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func writeEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case 0x0A: output.append(contentsOf: #"\n"#.utf8)
        case 0x0D: output.append(contentsOf: #"\r"#.utf8)
        case 0x09: output.append(contentsOf: #"\t"#.utf8)
        case 0..<0x20:
            output.append(contentsOf: #"\u00"#.utf8)
            output.append(Hexadecimal.digit(byte >> 4))
            output.append(Hexadecimal.digit(byte & 0x0F))
        default:
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        }
    }
}

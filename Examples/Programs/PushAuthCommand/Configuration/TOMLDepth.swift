import Foundation

/// Looks how deep a TOML text goes before it is read: its reader, and what frees what was read, go as deep
/// as the text does, and a stack has an end.
enum TOMLDepth {
    /// Deeper than any file of this program's goes.
    static let limit = 16

    /// The text is deeper than that.
    struct Exceeded: Error, CustomStringConvertible {
        var description: String { "it goes deeper than \(TOMLDepth.limit) levels." }
    }

    private enum Place: Equatable {
        case bare
        case comment
        /// Until the same mark comes once, or three times in a row.
        case text(UInt8, isLong: Bool)
    }

    /// - Throws: `Exceeded` if brackets are nested too deep, or a line has too many dots, which is how
    ///   keys name tables in tables.
    static func check(_ text: String) throws(Exceeded) {
        let bytes = Array(text.utf8)
        var (place, depth, dots) = (Place.bare, 0, 0)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            var width = 1
            switch place {
            case .comment: if byte == UInt8(ascii: "\n") { (place, dots) = (.bare, 0) }
            case .text(let mark, let isLong):
                if byte == UInt8(ascii: "\\"), mark == UInt8(ascii: "\"") {
                    width = 2
                } else if byte == mark, !isLong || isTriple(bytes, index) {
                    place = .bare
                    width = isLong ? 3 : 1
                } else if byte == UInt8(ascii: "\n"), !isLong {
                    // No text goes over the end of a line; the reader says so.
                    (place, dots) = (.bare, 0)
                }
            case .bare:
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "'"):
                    let isLong = isTriple(bytes, index)
                    place = .text(byte, isLong: isLong)
                    width = isLong ? 3 : 1
                case UInt8(ascii: "#"): place = .comment
                case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
                case UInt8(ascii: "."): dots += 1
                case UInt8(ascii: "\n"): dots = 0
                default: break
                }
                guard depth <= limit, dots <= limit else { throw Exceeded() }
            }
            index += width
        }
    }

    private static func isTriple(_ bytes: [UInt8], _ index: Int) -> Bool {
        index + 2 < bytes.count && bytes[index + 1] == bytes[index]
            && bytes[index + 2] == bytes[index]
    }
}

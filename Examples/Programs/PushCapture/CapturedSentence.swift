import PushCore
import TerminalIO

extension CaptureRedaction {
    /// A sentence without what was quoted, or has more than three digits in a row, and with marks in the
    /// place of servers' names.
    mutating func sentence(_ text: String) -> String {
        let plain = printable(text).replacing(/'[^']*'|"[^"]*"|“[^”]*”/, with: "…")
        return plain.parts(at: " ").map { word -> String in
            let start = word.firstIndex { !Self.isMark($0, "(<") } ?? word.endIndex
            let end = word.lastIndex { !Self.isMark($0, ".,;:!?)>") }.map(word.index(after:))
            guard let end, start < end else { return String(word) }
            let (name, port) = Self.parts(of: word[start..<end])
            guard hosts.contains(name.lowercased()) || port != nil || Self.isHost(name) else {
                return String(word).replacing(/\d{4,}/, with: "…")
            }
            let mark = marks.mark(String(name), as: "host")
            let ending = port.map { ":" + marks.mark(String($0), as: "port") } ?? ""
            return String(word[..<start]) + mark + ending + String(word[end...])
        }.joined(separator: " ")
    }

    private static func isMark(_ character: Character, _ marks: String) -> Bool {
        marks.contains(character)
    }

    /// A host, and the port behind it.
    private static func parts(of word: Substring) -> (name: Substring, port: Substring?) {
        // Of an address in brackets, only what is behind them can be a port.
        guard let colon = word.utf8.lastIndex(of: UInt8(ascii: ":")), colon != word.startIndex,
            word.first != "[" || word[..<colon].last == "]"
        else { return (word, nil) }
        let port = word[word.index(after: colon)...]
        guard (1...5).contains(port.utf8.count),
            port.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return (word, nil) }
        return (word[..<colon], port)
    }

    /// Whether a word looks like a server's name or address: parts between dots, more than a number's.
    private static func isHost(_ word: Substring) -> Bool {
        if word.first == "[" { return true }
        let parts = word.parts(at: ".")
        let isNumber = word.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        return parts.count >= (isNumber ? 4 : 2)
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
                            || (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x5F || $0 >= 0x80
                    }
            }
    }
}

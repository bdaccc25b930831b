import Crypto
import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a store's header is written: a line with title and format, lines of words, a line with a sum.
///
/// Every format ends with the sum, so that a damaged version isn't taken for a newer one.
package struct SummedLines: Sendable {
    package enum Finding {
        case whole([[Substring]])
        case damaged
        case newer(Int)
    }

    /// What the first line begins with, before the format's number.
    let title: String
    package let format: Int

    package init(title: String, format: Int) {
        self.title = title
        self.format = format
    }

    package func text(_ lines: [[String]]) -> String {
        let text = head(lines)
        return text + "sum \(Self.sum(of: text))\n"
    }

    /// The first line and some more, without the sum.
    package func head(_ lines: [[some StringProtocol]]) -> String {
        let all = ["\(title)\(format)"] + lines.map { $0.joined(separator: " ") }
        return all.map { $0 + "\n" }.joined()
    }

    /// The words of each line but the first and the last, if it is what ``text(_:)`` writes.
    package func read(_ bytes: some Collection<UInt8>) -> Finding {
        // Of other texts, characters may take a time that grows with the square of their length.
        guard bytes.allSatisfy({ $0 < 0x80 }), let text = String(validUTF8: bytes),
            let sum = text.ranges(of: "sum ").last?.lowerBound,
            text[sum...] == "sum \(Self.sum(of: text[..<sum]))\n"
        else { return .damaged }
        let lines = text[..<sum].split(separator: "\n")
        guard let first = lines.first, first.hasPrefix(title),
            let version = Int(first.dropFirst(title.count))
        else { return .damaged }
        guard version <= format else { return .newer(version) }
        let words = lines.dropFirst().map { $0.split(separator: " ") }
        return head(words) == text[..<sum] ? .whole(words) : .damaged
    }

    private static func sum(of text: some StringProtocol) -> String {
        SHA256.hash(data: Data(text.utf8)).withUnsafeBytes { Hexadecimal.text($0) }
    }
}

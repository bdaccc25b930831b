import Crypto
import Foundation
import PushCore
import PushPlatform
import TerminalIO

/// A short name for what has a long one, to type: the first digits of a hash.
struct Abbreviation: Hashable {
    /// 12 hexadecimal digits.
    let text: String

    init(_ id: Challenge.ID) {
        self.init(hashing: id.notificationIdentifier)
    }

    init(_ id: Enrollment.ID) {
        self.init(hashing: "\(id.provider.rawValue)\u{0}\(id.name)")
    }

    private init(hashing name: String) {
        text = SHA256.hash(data: Data(name.utf8)).prefix(6).hexadecimal
    }

    func begins(with typed: String) -> Bool {
        text.hasPrefix(typed.lowercased())
    }

    /// Whether a beginning of it differs by a slip or two of the fingers.
    private func isNear(_ typed: String) -> Bool {
        let typed = Array(typed.lowercased().utf8.prefix(16))
        guard typed.count >= 4 else { return false }
        // Levenshtein's distances of what was read of the one from each beginning of the other.
        var row = Array(0...text.utf8.count)
        for (index, byte) in typed.enumerated() {
            var next = [index + 1]
            for (column, other) in text.utf8.enumerated() {
                next.append(
                    min(
                        row[column] + (byte == other ? 0 : 1), row[column + 1] + 1,
                        next[column] + 1))
            }
            row = next
        }
        return row.contains { $0 <= (typed.count < 8 ? 1 : 2) }
    }

    /// Finds the one thing that is meant.
    ///
    /// - Parameters:
    ///   - typed: The whole name, or as much of the abbreviation as is unique.
    ///   - candidates: What there is, with its whole name and its abbreviation.
    ///   - kind: What it is, for the message.
    /// - Returns: What was meant.
    /// - Throws: `Failure` if it names none of them, or more than one.
    static func find<Thing>(
        _ typed: String, in candidates: [(name: String, short: Abbreviation, thing: Thing)],
        kind: String
    ) throws(Failure) -> Thing {
        let named = candidates.filter { $0.name.utf8.elementsEqual(typed.utf8) }
        let matching =
            named.isEmpty && typed.utf8.count >= 2
            ? candidates.filter { $0.short.begins(with: typed) } : named
        switch matching.count {
        case 1: return matching[0].thing
        case 0:
            let nearest = candidates.map(\.short).filter { $0.isNear(typed) }.prefix(3)
                .map(\.text).joined(separator: ", ")
            throw Failure(
                .notFound, "No \(kind) is known as '\(printable(typed))'.",
                advice: (nearest.isEmpty ? "" : "Did you mean \(nearest)? ")
                    + "`pushauth list` and `pushauth pending` show the IDs.")
        default:
            let shorts = matching.map(\.short.text).joined(separator: ", ")
            throw Failure(
                .notFound, "'\(printable(typed))' fits more than one \(kind): \(shorts).",
                advice: "Give more of it.")
        }
    }
}

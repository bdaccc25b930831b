import Crypto
import Foundation
import PushCore
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
            throw Failure(
                .notFound, "No \(kind) is known as '\(printable(typed))'.",
                advice: "`pushauth list` and `pushauth pending` show the IDs.")
        default:
            let shorts = matching.map(\.short.text).joined(separator: ", ")
            throw Failure(
                .notFound, "'\(printable(typed))' fits more than one \(kind): \(shorts).",
                advice: "Give more of it.")
        }
    }
}

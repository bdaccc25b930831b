import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The body of an answer: the message identifier, and the JWT, which doesn't name it. So the same
/// answer can be tried under another identifier.
struct AnswerBody {
    let messageID: String
    private let token: String
    private let original: Data

    init(messageID: String, token: String) {
        self.messageID = messageID
        self.token = token
        original = Self.bytes(messageID, token)
    }

    /// Reads what ``sealed`` has kept.
    init(_ answer: Answer) throws(PushError) {
        original = answer.bytes.withBytes { Data($0) }
        let body = try JSON(parsing: original, limits: .init(bytes: original.count))
        guard let messageID = body["messageId"]?.string, let token = body["jwt"]?.string else {
            throw PushError(.malformed, "The ledger's answer is damaged.")
        }
        self.messageID = messageID
        self.token = token
    }

    /// What the ledger keeps, and what is sent first.
    var sealed: Secret { Secret(original) }

    /// The bytes for AM, under this identifier or another one that came with the same challenge.
    func bytes(under id: String) -> Data {
        id == messageID ? original : Self.bytes(id, token)
    }

    /// Under which identifiers to try it.
    ///
    /// AM fails on one whose type it doesn't know, and a gateway may refuse one that looks like an
    /// attack, which a forger could use to keep the outcome unknown: those not of the form that AM makes
    /// are left out if there are better ones.
    func ids(besides others: [String]) -> [String] {
        let all = [messageID] + others.filter { $0 != messageID }
        let typed = all.filter { Self.unique(in: $0) != nil }
        // A UUID, and milliseconds right after it.
        let made = typed.filter { id in
            let unique = Self.unique(in: id) ?? ""
            return !unique.isEmpty
                && unique.utf8.allSatisfy {
                    Hexadecimal.value(of: $0) != nil || $0 == UInt8(ascii: "-")
                }
        }
        return [made, typed].first { !$0.isEmpty } ?? all
    }

    /// What follows AM's type of an answer; `nil` in an identifier of another type.
    private static func unique(in id: String) -> Substring? {
        let parts = id.parts(at: ":")
        guard parts.count == 2, parts[0] == "AUTHENTICATE" else { return nil }
        return parts[1]
    }

    private static func bytes(_ messageID: String, _ token: String) -> Data {
        JSON.object(["messageId": .string(messageID), "jwt": .string(token)]).data
    }
}

import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the ledger keeps of a push beside its notice.
struct ChallengeContext: Sendable {
    /// The identifier to echo in the answer.
    let messageID: String

    let claims: PushClaims

    init(messageID: String, claims: PushClaims) {
        self.messageID = messageID
        self.claims = claims
    }

    init(_ announcement: Announcement) throws(PushError) {
        let fields = try SecretRecord(reading: announcement.context).fields
        guard let messageID = fields["messageId"]?.string, let claims = fields["claims"]?.object
        else { throw PushError(.malformed, "The ledger's context is damaged.") }
        self.messageID = messageID
        self.claims = try PushClaims(claims, received: announcement.notice.issued ?? .distantPast)
    }

    var sealed: Secret {
        SecretRecord(fields: ["messageId": .string(messageID), "claims": .object(claims.all)])
            .sealed
    }
}

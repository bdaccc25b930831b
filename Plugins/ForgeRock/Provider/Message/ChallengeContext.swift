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

    fileprivate init(_ sealed: Secret, issued: Date?) throws(PushError) {
        let record = try Secret.Record(reading: sealed)
        guard let messageID = record.fields["messageId"]?.string,
            let payload = record.secrets.first,
            let claims = try payload.withBytes({ (bytes) throws(PushError) in
                try JSON(parsing: bytes).object
            })
        else { throw PushError(.malformed, "The ledger's context is damaged.") }
        self.messageID = messageID
        let received = record.fields["received"]?.double.map(Date.init(timeIntervalSince1970:))
        self.claims = try PushClaims(claims, received: received ?? issued ?? .distantPast)
    }

    /// What the ledger keeps: the claims as AM signed them, byte for byte, and when they came if AM
    /// didn't date them.
    static func sealed(
        _ claims: PushClaims, messageID: String, payload: UnsafeRawBufferPointer
    ) -> Secret {
        guard claims.signedTime == nil else {
            return Secret.Record.sealed(field: "messageId", messageID, payload)
        }
        var fields: JSON.Object = ["messageId": .string(messageID)]
        fields["received"] = JSON.Number(claims.issued.timeIntervalSince1970).map(JSON.number)
        return Secret.Record.sealed(fields: fields, payload)
    }
}

extension Announcement {
    /// The provider's half of it.
    var note: ChallengeContext {
        get throws(PushError) {
            try context { (sealed) throws(PushError) in
                try ChallengeContext(sealed, issued: notice.issued)
            }
        }
    }
}

import PushCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer of OXRW/1 that is provably the manager's, to this very request.
struct ProvedReply {
    let status: Int

    /// The manager's time when it answered.
    let issued: Date

    let data: Claims

    /// What a reply must be the answer to.
    struct Question {
        /// The name of the request.
        let id: String

        /// Who asked.
        let issuer: String
    }

    /// Checks an answer, errors included: whoever stands between could otherwise invent one.
    ///
    /// - Throws: `PushError` if anything of it isn't as it must be.
    init(
        status: Int, body: Data, to question: Question, from record: ActivationRecord
    ) throws(PushError) {
        guard let text = String(validating: body, as: UTF8.self) else {
            throw PushError(.malformed, "The answer is no text.")
        }
        let token = try StrictToken(text)
        try token.requireHeader(of: "oxrw-res+jwt")
        let keyID = try token.requireText("kid")
        guard try token.requireText("idm") == record.idm, let key = record.managerKeys[keyID] else {
            throw PushError(.untrusted, "The answer isn't signed by a pinned key.")
        }
        let claims = try token.claims(verifiedBy: key)
        guard try claims.text("iss") == record.idm, try claims.text("aud") == question.issuer,
            try claims.text("req") == question.id, try claims.integer("st") == Int64(status)
        else { throw PushError(.untrusted, "The answer is to another request.") }
        _ = try claims.integer("exp")
        self.status = status
        issued = try claims.date("iat")
        data = Claims(try claims.object("data").members, signer: keyID)
    }
}

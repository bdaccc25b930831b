import PushCore
import PushXignIn

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

    /// Checks an answer, errors included: anyone between device and manager could otherwise invent one.
    ///
    /// - Throws: `PushError` if anything of it isn't as it must be.
    init(
        status: Int, body: Data, to question: Question, from record: ActivationRecord
    ) throws(PushError) {
        guard let text = String(validUTF8: body) else {
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

extension ProvedReply {
    /// Whether the manager refused because of the time that the request claims.
    var isClockSkew: Bool {
        status == 401 && data.members["error"] == "clock_skew"
    }

    /// What the manager said.
    ///
    /// - Throws: `PushError` with the code `server` for a refusal that the format doesn't have: it
    ///   says nothing about what was asked.
    var meaning: XignInReply<Claims> {
        get throws(PushError) {
            status == 200 ? .success(data) : .failure(try refusal)
        }
    }

    private var refusal: XignInRefusal {
        get throws(PushError) {
            switch (status, data.members["error"]?.string) {
            case (400, "malformed_request"): .malformed(status: status)
            case (400, "factors_missing"): .factorsMissing
            case (401, "clock_skew"), (401, "invalid_device_signature"), (401, "replayed_request"):
                .requestRefused(status: status)
            case (403, "activation_locked"): .locked(try lockout)
            case (404, "process_unknown"): .processOver(.unknown)
            case (404, "activation_unknown"): .activationUnknown
            case (409, "process_already_started"): .processOver(.elsewhere)
            case (409, "process_not_started"): .processOver(.cancelled)
            case (409, "process_finished"): .processOver(.finished)
            case (409, "activation_used"): .linkUsed
            case (410, "process_expired"): .processOver(.expired)
            case (410, "process_cancelled"): .processOver(.cancelled)
            case (410, "activation_expired"): .linkExpired
            case (426, "api_version_unsupported"):
                .versionUnsupported(minimum: try data.optionalText("min_api"))
            default: throw undocumented
            }
        }
    }

    private var lockout: LockoutInformation {
        get throws(PushError) {
            guard let lockout = try? Lockout(try data.object("lockout")), lockout.kind == .pending
            else { throw undocumented }
            return lockout.information
        }
    }

    private var undocumented: PushError {
        PushError(.server(status: status), "The manager's refusal isn't one that the format has.")
    }
}

/// What OXRW/1 says of wrong factors.
struct Lockout {
    /// Which of the two it is.
    enum Kind: String {
        /// This try was wrong; the process goes on.
        case attempt
        /// An earlier lockout still runs; the process is dead.
        case pending
    }

    let kind: Kind
    let information: LockoutInformation

    init(_ claims: Claims) throws(PushError) {
        guard let kind = Kind(rawValue: try claims.text("kind")) else { throw Claims.wrong("kind") }
        self.kind = kind
        information = LockoutInformation(
            seconds: Int(try claims.integer("seconds")),
            remaining: try claims.optionalInteger("remaining").map(Int.init),
            isPermanent: try claims.bool("permanent"))
    }
}
